def pump():
    return 1
