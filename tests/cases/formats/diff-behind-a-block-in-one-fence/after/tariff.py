class Tariff:
    day = 14
    week = 70
    month = 200
