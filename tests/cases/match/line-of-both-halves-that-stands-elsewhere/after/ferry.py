def leave(ferry, clock):
    """Cast off when the clock says so."""
    ferry.close_ramp()
    wait_until(clock.next_crossing)
    ferry.cast_off()
    return clock.now


def arrive(ferry):
    ferry.sound_horn()
    ferry.open_ramp()
