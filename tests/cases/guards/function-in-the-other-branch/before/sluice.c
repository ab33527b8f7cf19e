#ifdef DEEP
int sluice_open(int gates)
{
    return gates * 2;
}
#endif

int sluice_count(void)
{
    return 4;
}
