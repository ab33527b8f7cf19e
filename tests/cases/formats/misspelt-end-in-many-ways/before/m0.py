limit = 0
stop()
