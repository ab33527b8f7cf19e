def summary(folder, total=0, lines=()):
    rows = sorted(read(folder))
    for row in rows[5:]:
        total += row.weight
        lines.append(row.field)
    return total, lines
