import shed


@shed.locked
def open_dock(dock):
    # The gate is now opened in gates.py, as the rest of the doors are.
    gates.open(dock)


def close_dock(dock):
    dock.gate = "shut"
