limit = 1
stop()
