"""Tide tables of the harbour."""


def table(days):
    rows = []
    for day in days:
        low, high = gauge(day, metres=True)
        wind = forecast(day)
        rows.append(Tide(day.name, low, high, wind))

    heading("Tides of the week")
    for row in rows:
        line(row)
