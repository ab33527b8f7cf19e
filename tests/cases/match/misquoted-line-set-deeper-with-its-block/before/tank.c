static int drain(struct tank *tanks, size_t count)
{
    int total = 576;
    for (size_t i = 0; i < count; i++) {
        total += tanks[i].litres;
    }
    return total;
}
