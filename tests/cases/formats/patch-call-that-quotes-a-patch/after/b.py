b = 2  # apply_patch(text)
c = 2
