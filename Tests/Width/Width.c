#include "Width.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Before the tests begin, as their number at once is read then: thousands of them starve one another, and take twice as
// long. Whoever sets the variable has what is set.
__attribute__((constructor)) static void limitTests(void) {
    char width[16];
    snprintf(width, sizeof width, "%ld", 2 * sysconf(_SC_NPROCESSORS_ONLN));
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
