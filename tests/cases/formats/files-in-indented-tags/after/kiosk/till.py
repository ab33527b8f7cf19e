def close(till):
    till.open = False
