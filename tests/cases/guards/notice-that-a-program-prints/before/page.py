def foot():
    return ''
