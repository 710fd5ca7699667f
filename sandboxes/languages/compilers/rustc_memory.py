"""The memory of a warm `rustc`, in C: code in huge pages, and an allocator that does little. Used by `warm_rustc`.

A compiler lives for one program, allocates many small objects, and jumps through 100 MB of code. Pages of 4 KiB cost it
a twentieth of its time. Another twentieth goes into an allocator that is made for programs that run for long.
"""

from __future__ import annotations

CODE_FILES = ("librustc_driver-", "libLLVM")
"""Parts of the names of the libraries with most of the compiler's code."""

HUGE_PAGES = r"""
enum { HUGE_PAGE = 2 << 20 };
static const char *const code_files[] = {CODE_FILES, 0};

/* Copies a library's code into huge pages, which forked processes share without a fault for each page. Leaves the code
   where it is if the system has no huge pages, or forbids to run memory that was written. */
static int move_code(struct dl_phdr_info *library, size_t unused, void *nothing) {
    int is_named = 0;
    (void)unused, (void)nothing;
    for (int i = 0; code_files[i]; i++) is_named |= strstr(library->dlpi_name, code_files[i]) != 0;
    for (int i = 0; is_named && i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || part->p_flags != (PF_R | PF_X)) continue;
        uintptr_t start = library->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        start = (start + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        end = end / HUGE_PAGE * HUGE_PAGE;
        if (start >= end) continue;
        size_t size = end - start;
        char *all = mmap(0, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) continue;
        char *copy = (char *)(((uintptr_t)all + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
        if (copy > all) munmap(all, copy - all);
        munmap(copy + size, all + HUGE_PAGE - copy);
        if (madvise(copy, size, MADV_HUGEPAGE)) {
            munmap(copy, size);
            continue;
        }
        memcpy(copy, (char *)start, size);
        if (mprotect(copy, size, PROT_READ | PROT_EXEC) ||
            mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)start) == MAP_FAILED)
            munmap(copy, size);
    }
    return 0;
}
"""

ALLOCATOR = r"""
/* Memory comes in blocks of 64 KiB that begin with a `block`. A block has cells of one size, or is the first of several
   for one large cell. Each thread keeps the small cells that it frees, in a list for each size. */
enum { BLOCK = 1 << 16, ARENA = 64 << 20, SMALL = 1 << 14, SIZES = 52, POWERS = 64 };
static const size_t MOST = (size_t)1 << 40;
/* Kinds of blocks: the number of their cells' size, LARGE and the power of 2 of their bytes, or cells that stay. */
enum { LARGE = 64, LOST = 128 };
typedef struct cell {
    struct cell *next;
} cell;
typedef struct {
    size_t kind, bytes;
    char unused[64 - 2 * sizeof(size_t)];
} block;
static __thread struct {
    cell *free[SIZES];
    char *next[SIZES], *end[SIZES];
} kept __attribute__((tls_model("initial-exec")));
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static char *arena, *arena_end;
static cell *free_large[POWERS];

static unsigned log_of(size_t size) {
    return 63 - __builtin_clzl(size);
}

/* Returns the number of a size of cells. There is one every 16 bytes up to 512, then four for each power of 2. */
static unsigned size_number(size_t bytes) {
    if (bytes <= 512) return bytes ? (bytes - 1) / 16 : 0;
    unsigned power = log_of(bytes - 1);
    return 32 + (power - 9) * 4 + ((bytes - 1) >> (power - 2)) % 4;
}

static size_t size_of(unsigned number) {
    if (number < 32) return (number + 1) * 16;
    unsigned power = 9 + (number - 32) / 4;
    return ((size_t)1 << power) + (((number - 32) % 4 + (size_t)1) << (power - 2));
}

/* Returns new blocks, which are 0. The caller has the lock. */
static char *take_blocks(size_t bytes) {
    if ((size_t)(arena_end - arena) < bytes) {
        size_t size = bytes > ARENA ? bytes : ARENA;
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        char *all = mmap(0, size + HUGE_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (all == MAP_FAILED) return 0;
        arena = (char *)(((uintptr_t)all + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
        arena_end = arena + size;
        madvise(arena, size, MADV_HUGEPAGE);
    }
    arena += bytes;
    return arena - bytes;
}

static void *take_large(size_t bytes, int *is_new) {
    if (bytes > MOST) {
        errno = ENOMEM;
        return 0;
    }
    unsigned power = log_of(bytes + sizeof(block) - 1) + 1;
    if (power < 16) power = 16;
    pthread_mutex_lock(&shared);
    cell *taken = free_large[power];
    *is_new = !taken;
    if (taken) {
        free_large[power] = taken->next;
    } else {
        block *first = (block *)take_blocks((size_t)1 << power);
        if (first) {
            first->kind = LARGE + power;
            first->bytes = ((size_t)1 << power) - sizeof(block);
            taken = (cell *)(first + 1);
        }
    }
    pthread_mutex_unlock(&shared);
    if (!taken) errno = ENOMEM;
    return taken;
}

static void *take_small(unsigned number) {
    size_t size = size_of(number);
    cell *taken = kept.free[number];
    if (taken) {
        kept.free[number] = taken->next;
        return taken;
    }
    if (kept.next[number] == kept.end[number]) {
        pthread_mutex_lock(&shared);
        block *new = (block *)take_blocks(BLOCK);
        pthread_mutex_unlock(&shared);
        if (!new) {
            errno = ENOMEM;
            return 0;
        }
        new->kind = number;
        new->bytes = size;
        kept.next[number] = (char *)(new + 1);
        kept.end[number] = kept.next[number] + (BLOCK - sizeof(block)) / size * size;
    }
    kept.next[number] += size;
    return kept.next[number] - size;
}

/* Returns the block of a cell, which is never at the block's own address. */
static block *block_of(void *pointer) {
    return (block *)(((uintptr_t)pointer - 1) / BLOCK * BLOCK);
}

/* Returns memory, and tells whether it is known to be 0. */
static void *allocate(size_t bytes, int *is_new) {
    *is_new = 0;
    return bytes <= SMALL ? take_small(size_number(bytes)) : take_large(bytes, is_new);
}

void *malloc(size_t bytes) {
    int is_new;
    return allocate(bytes, &is_new);
}

void free(void *pointer) {
    if (!pointer) return;
    block *first = block_of(pointer);
    if (first->kind < LARGE) {
        ((cell *)pointer)->next = kept.free[first->kind];
        kept.free[first->kind] = pointer;
    } else if (first->kind != LOST) {
        cell *freed = (cell *)(first + 1);
        pthread_mutex_lock(&shared);
        freed->next = free_large[first->kind - LARGE];
        free_large[first->kind - LARGE] = freed;
        pthread_mutex_unlock(&shared);
    }
}

size_t malloc_usable_size(void *pointer) {
    if (!pointer) return 0;
    block *first = block_of(pointer);
    return first->kind < LARGE ? first->bytes : first->bytes - ((char *)pointer - (char *)(first + 1));
}

void *calloc(size_t count, size_t each) {
    size_t bytes;
    int is_new;
    if (__builtin_mul_overflow(count, each, &bytes)) {
        errno = ENOMEM;
        return 0;
    }
    void *pointer = allocate(bytes, &is_new);
    return pointer && !is_new ? memset(pointer, 0, bytes) : pointer;
}

void *realloc(void *pointer, size_t bytes) {
    size_t has = malloc_usable_size(pointer);
    if (pointer && bytes <= has && bytes >= has / 4) return pointer;
    void *moved = malloc(bytes);
    if (!moved || !pointer) return moved;
    memcpy(moved, pointer, has < bytes ? has : bytes);
    free(pointer);
    return moved;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    if (alignment <= 16) return malloc(bytes);
    if (alignment > MOST || bytes > MOST) {
        errno = ENOMEM;
        return 0;
    }
    if (alignment <= sizeof(block) && bytes <= SMALL) {
        /* Cells begin at multiples of their size behind the block's beginning. */
        unsigned number = size_number(bytes);
        while (number < SIZES && size_of(number) % alignment) number++;
        if (number < SIZES) return take_small(number);
    }
    int is_new;
    if (alignment < BLOCK) {
        char *large = take_large(bytes + alignment, &is_new);
        return large ? (char *)block_of(large) + (alignment < sizeof(block) ? sizeof(block) : alignment) : 0;
    }
    /* Rare, and never freed. */
    char *large = take_large(bytes + alignment + BLOCK, &is_new);
    if (!large) return 0;
    char *at = (char *)(((uintptr_t)large + BLOCK + alignment - 1) / alignment * alignment);
    block *before = block_of(at);
    before->kind = LOST;
    before->bytes = bytes + BLOCK - sizeof(block);
    return at;
}

void *memalign(size_t alignment, size_t bytes) {
    return aligned_alloc(alignment, bytes);
}

int posix_memalign(void **to, size_t alignment, size_t bytes) {
    *to = aligned_alloc(alignment, bytes);
    return *to ? 0 : ENOMEM;
}

void *valloc(size_t bytes) {
    return aligned_alloc(sysconf(_SC_PAGESIZE), bytes);
}

void *pvalloc(size_t bytes) {
    size_t page = sysconf(_SC_PAGESIZE);
    return aligned_alloc(page, (bytes + page - 1) / page * page);
}
"""

INCLUDES = """
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
"""
FILES = ", ".join(f'"{name}"' for name in CODE_FILES)

SOURCE = f"#define CODE_FILES {FILES}\n{INCLUDES}{HUGE_PAGES}{ALLOCATOR}"
"""All of it, behind the definition of `_GNU_SOURCE`."""
