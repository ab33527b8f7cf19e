LIMIT, TURNS = 4.2, 36


def open_gate(level, log=print):
    """Open the gate as far as the level of the river allows."""
    share = min(level / LIMIT, 1.0)
    if share < 0.1:
        return 0
    log(f"gate opens by {share:.0%}")
    return motor.turn(share * TURNS)
