

def hush():
    return 0
