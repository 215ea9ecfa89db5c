#include <stddef.h>

/// How many blocks of memory this process has asked for, and how many bytes they have in all.
typedef struct {
    long blocks;
    long bytes;
} Allocations;

Allocations allocations(void);
