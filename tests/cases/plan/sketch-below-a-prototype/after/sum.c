#include <stdio.h>
#include <stdlib.h>

int total(const int *rows, int count);

/* Add all rows. */
int total(const int *rows, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += abs(rows[i]);
    }
    return sum;
}

int main(void) {
    int rows[] = {1, 2, 3};
    printf("%d\n", total(rows, 3));
    return 0;
}
