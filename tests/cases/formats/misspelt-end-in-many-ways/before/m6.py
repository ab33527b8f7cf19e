limit = 6
stop()
