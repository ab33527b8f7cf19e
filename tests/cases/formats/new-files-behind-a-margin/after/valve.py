def valve():
    return 2
