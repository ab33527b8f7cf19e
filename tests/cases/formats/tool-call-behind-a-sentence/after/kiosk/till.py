RATE = 0.2
LIMIT = 200
NAME = "kiosk"
OPEN = True
