text = load()
# split at \n and strip each line
parts = text.split()
