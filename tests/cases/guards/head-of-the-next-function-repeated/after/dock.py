import shed


@shed.locked
def open_dock(dock):
    dock.gate = "wide open"


def close_dock(dock):
    dock.gate = "shut"
