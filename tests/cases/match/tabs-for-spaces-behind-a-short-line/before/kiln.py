def fire():
    if x:
        ash()
