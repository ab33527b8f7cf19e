def load(path):
    with open(path) as file:
        log(path)
        read(file)
    log(path)
