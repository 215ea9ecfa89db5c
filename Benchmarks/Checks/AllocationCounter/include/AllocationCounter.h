#include <stddef.h>

/// How many blocks of memory this process has asked for, how many bytes they have in all, and how many
/// it has not given back.
typedef struct {
    long blocks;
    long bytes;
    long kept;
} Allocations;

Allocations allocations(void);
