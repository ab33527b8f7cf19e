def count(rows):
    # old
    rest = rows[1:]
    log(rest)
    return len(rest)
