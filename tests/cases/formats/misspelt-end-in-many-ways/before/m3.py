limit = 3
stop()
