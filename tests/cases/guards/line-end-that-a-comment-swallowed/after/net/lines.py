text = load()
parts = text.split()
