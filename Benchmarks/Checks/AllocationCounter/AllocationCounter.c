// Takes the place of the C library's functions in the executable that it is linked into, and counts.
#include "AllocationCounter.h"
#include <malloc.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long blocks, bytes;

static void *counted(void *block) {
    if (block) {
        atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
        // What the block really takes, its header too.
        atomic_fetch_add_explicit(
            &bytes, (long)(malloc_usable_size(block) + sizeof(size_t)), memory_order_relaxed);
    }
    return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *realloc(void *block, size_t size) { return counted(__libc_realloc(block, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) {
    return counted(__libc_memalign(alignment, size));
}
int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = counted(__libc_memalign(alignment, size));
    return *block ? 0 : 12;
}

Allocations allocations(void) {
    Allocations now = {
        atomic_load_explicit(&blocks, memory_order_relaxed),
        atomic_load_explicit(&bytes, memory_order_relaxed)};
    return now;
}
