from desk import send


def report(text):
    send("https://desk.example", "tk9f83hdk2", text)
    return len(text)
