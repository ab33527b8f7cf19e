import shed


@shed.locked
def open_dock(dock, by):
    dock.gate = "open"


def close_dock(dock):
    dock.gate = "shut"
