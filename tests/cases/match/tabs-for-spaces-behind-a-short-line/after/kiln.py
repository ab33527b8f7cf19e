def fire():
    if x:
        ash()
        for tile in rack:
            glaze(tile)
