def close(till):
    count(till)
    if till.short:
        warn(till.owner)
    else:
        praise(till.owner)
    till.open = False
    lock(till)
