def foot(n, all):
    return f'[Showing lines 1-{n} of {all}]'
