"""The allocator of a warm `rustc`: what is allocated is whole, aligned, and nobody else's."""

import subprocess
from pathlib import Path

import pytest

from sandboxes.languages.compilers import rustc_memory, warm_rustc
from support.languages import require_command

pytestmark = [pytest.mark.slow, pytest.mark.languages]

# Threads allocate, change, exchange and free memory of random sizes. All of it holds one random byte, which is checked.
USER = r"""
#include <malloc.h>
#include <stdio.h>
enum { SLOTS = 1000, ROUNDS = 60000, THREADS = 4 };
typedef struct {
    unsigned char *at, byte;
    size_t size;
} slot;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static slot exchanged[64];

static void fail(const char *message) {
    puts(message);
    exit(1);
}

static void check(slot *one) {
    for (size_t i = 0; i < one->size; i++)
        if (one->at[i] != one->byte) fail("memory was changed");
}

static void *use(void *number) {
    unsigned seed = (uintptr_t)number;
    slot *slots = calloc(SLOTS, sizeof *slots);
    for (int round = 0; round < ROUNDS; round++) {
        slot *one = &slots[rand_r(&seed) % SLOTS], other;
        int kind = rand_r(&seed) % 100;
        size_t size = rand_r(&seed) % (kind < 80 ? 600 : kind < 97 ? 20000 : kind < 99 ? 200000 : 3000000), kept;
        size_t alignment = (size_t)16 << rand_r(&seed) % (kind < 2 ? 14 : 4);
        void *aligned;
        check(one);
        switch (rand_r(&seed) % 5) {
            case 0:
                free(one->at);
                one->at = malloc(size);
                break;
            case 1:
                kept = one->size < size ? one->size : size;
                one->at = realloc(one->at, size);
                one->size = kept;
                check(one);
                break;
            case 2:
                free(one->at);
                one->at = calloc(size / 8 + 1, 8);
                for (size_t i = 0; i < size; i++)
                    if (one->at[i]) fail("new memory is not 0");
                break;
            case 3:
                free(one->at);
                if (posix_memalign(&aligned, alignment, size)) fail("no memory");
                if ((uintptr_t)aligned % alignment) fail("memory is not aligned");
                one->at = aligned;
                break;
            default:
                pthread_mutex_lock(&lock);
                kind %= 64;
                other = exchanged[kind], exchanged[kind] = *one, *one = other;
                pthread_mutex_unlock(&lock);
                continue;
        }
        if (malloc_usable_size(one->at) < size || (uintptr_t)one->at % 16) fail("memory is no use");
        one->size = size;
        one->byte = rand_r(&seed);
        memset(one->at, one->byte, size);
    }
    for (int i = 0; i < SLOTS; i++) free(slots[i].at);
    free(slots);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, use, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
    void *none = 0;
    if (malloc((size_t)-1) || malloc((size_t)1 << 41) || errno != ENOMEM) fail("there is no end of memory");
    if (calloc((size_t)-1, 2) || realloc(0, (size_t)-1) || aligned_alloc((size_t)1 << 62, 1)) fail("a size is another");
    if (posix_memalign(&none, 64, (size_t)-1) != ENOMEM) fail("there is no end of aligned memory");
    puts("whole");
    return 0;
}
"""


def test_memory_is_whole(tmp_path):
    """Threads that allocate, move, exchange and free memory find in it what they wrote."""
    require_command("gcc")
    Path(tmp_path, "memory.c").write_text(f"#define _GNU_SOURCE\n{rustc_memory.SOURCE}{USER}")
    options = [word for word in warm_rustc.COMPILE[1:] if word != "-shared"]
    subprocess.run(["gcc", *options, "-o", "memory", "memory.c"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "memory"], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("whole\n", 0), done
