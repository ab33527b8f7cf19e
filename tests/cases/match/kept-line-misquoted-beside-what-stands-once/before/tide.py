"""Tide tables of the harbour."""


def table(days):
    rows = []
    for day in days:
        low, high = gauge(day)
        wind = forecast(day.name)
        rows.append((day.name, low, high, wind))

    heading("Tides of the week")
    for row in rows:
        line(row)
