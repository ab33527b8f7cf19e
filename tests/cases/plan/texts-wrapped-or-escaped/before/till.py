def till():
    print(rate)
    return 1
