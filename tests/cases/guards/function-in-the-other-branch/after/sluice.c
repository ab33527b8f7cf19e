#ifdef DEEP
int sluice_open(int gates)
{
    return gates * 2;
}
#else
int sluice_open(int gates)
{
    return gates;
}
#endif

int sluice_count(void)
{
    return 4;
}
