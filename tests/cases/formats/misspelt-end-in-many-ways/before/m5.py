limit = 5
stop()
