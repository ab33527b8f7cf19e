def open_kiosk(shelf, log):
    for drawer in shelf.drawers:
        if drawer.locked:
            drawer.unlock()
    log.close()


def open_one(shelf, log, name):
    if shelf.listed:
            shelf.open(name)
    log.close()
