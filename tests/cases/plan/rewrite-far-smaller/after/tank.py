class Tank:
    pass
