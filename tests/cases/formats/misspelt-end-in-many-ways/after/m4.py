limit = 4
stop()
