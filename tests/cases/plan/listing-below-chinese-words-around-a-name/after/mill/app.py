import mill

PORT = 8080


def run(port):
    return mill.run(port)


def stop():
    return None
