static int drain(struct tank *tanks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tanks[i].closed)
            continue;
        total += tanks[i].litres * 40;
    }
    return total;
}

static int fill(struct tank *tanks, size_t count)
{
