import mill

sails = mill.Sails(4)


def turn(wind):
    return sails.turn(wind)


if __name__ == "__main__":
    mill.run(slow=True)
