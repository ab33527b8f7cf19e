def close(till):
    with till.lid:
        count(till)
        bank(till)
    if till.short:
        warn(till.owner)
    else:
        praise(till.owner)
    till.open = False
    lock(till)
