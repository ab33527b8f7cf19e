"""Tide tables of the harbour."""


def table(days):
    rows = []
    for day in days:
        low, high = gauge(day, metres=True)
        rows.append((day.name, low, high))

    heading("Tides of the week")
    for row in rows:
        line(row)
