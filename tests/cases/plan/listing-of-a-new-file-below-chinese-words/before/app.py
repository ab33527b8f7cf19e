import mill

PORT = 80


def run(port):
    return mill.run(port)


def stop():
    return None
