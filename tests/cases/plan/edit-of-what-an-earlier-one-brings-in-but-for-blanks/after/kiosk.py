def open_kiosk(shelf, log):
    if shelf.listed:
        for name in shelf.names:
            shelf.open(name)

    log.close()


def open_one(shelf, log, name):
    if shelf.listed:
            shelf.open(name)
    log.close()
