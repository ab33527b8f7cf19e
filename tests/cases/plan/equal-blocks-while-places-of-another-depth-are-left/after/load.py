def load(path):
    log(path)
    with open(path) as file:
        if file.readable():
            log(path)
        else:
            log(path)
