def load(path):
    with open(path) as file:
        header = next(file)
        for line in file:
            read_line(line)
    return header
