limit = 2
stop()
