class Tariff:
    day = 12
    week = 60
    month = 200
