def log(where):
    print(where)
