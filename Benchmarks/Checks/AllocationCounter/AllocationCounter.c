// Takes the place of the C library's functions in the executable that it is linked into, and counts.
#include "AllocationCounter.h"
#include <malloc.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_long blocks, bytes, freed;

// What a block really takes, its header too.
static long size_of(void *block) { return (long)(malloc_usable_size(block) + sizeof(size_t)); }

static void *counted(void *block) {
    if (block) {
        atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&bytes, size_of(block), memory_order_relaxed);
    }
    return block;
}

static void uncounted(void *block) {
    if (block) atomic_fetch_add_explicit(&freed, size_of(block), memory_order_relaxed);
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *realloc(void *block, size_t size) {
    uncounted(block);
    return counted(__libc_realloc(block, size));
}
void free(void *block) {
    uncounted(block);
    __libc_free(block);
}
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) {
    return counted(__libc_memalign(alignment, size));
}
int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = counted(__libc_memalign(alignment, size));
    return *block ? 0 : 12;
}

Allocations allocations(void) {
    long all = atomic_load_explicit(&bytes, memory_order_relaxed);
    Allocations now = {
        atomic_load_explicit(&blocks, memory_order_relaxed), all,
        all - atomic_load_explicit(&freed, memory_order_relaxed)};
    return now;
}
