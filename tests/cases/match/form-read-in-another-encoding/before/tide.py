# ── Ebbe → Flut ──
def rise(hours):
    return hours * 0.4


# ── Flut → Ebbe ──
def fall(hours):
    return hours * 0.3
