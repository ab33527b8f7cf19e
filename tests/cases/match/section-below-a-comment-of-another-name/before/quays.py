# --- north quay ---
DEPTH = 9
BERTHS = 4

# --- south quay ---
LENGTH = 70
