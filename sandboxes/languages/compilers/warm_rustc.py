"""A compiler of Rust that has been loaded, and forks for each program. Used by `rust` and `rust_library`.

Loading `rustc` takes an eighth of the time in which it compiles most programs. A library that is loaded with it calls
its `main` in a new process for each program that the supervisor sends, and says what the build's command would say. It
also gives the compiler its memory.
"""

from __future__ import annotations

import shlex

from sandboxes.guest.common.page_sizes import are_huge_pages_on
from sandboxes.languages.compilers import rustc_memory
from sandboxes.languages.compilers.quick_builds import IS_PREPARED, QUICK_FILE
from sandboxes.languages.native import TOKEN_FILE
from sandboxes.languages.steps import WarmCompiler

# A message with these parts one after the other is the plain build's too, unless it has one of the others: it has a
# number and a place in the program, and is not about libraries.
OWN_PARTS = ("error[E0", " --> ", ".rs:")
# A compiled library may be broken, or of another compiler, and messages name what is in it by other paths.
OTHER_WORDS = (
    "error[E0152]",
    "error[E046",
    "internal compiler",
    "linking with",
    "error[E0514]",
    "error[E0786]",
    "code_eval_library",
    "code_eval_calls",
    "CodeEvalStatus",
    "Shown",
    "Plain",
)

HUGE_PAGES = "CODE_EVAL_HUGE_PAGES"
"""Name of the variable of the environment that says that the system gives programs huge pages."""

OBJECT_FILE = f"{TOKEN_FILE}.o"
DIGITS_FILE = f"{OBJECT_FILE}.hex"
"""Path of the file with the hexadecimal digits of OBJECT_FILE, which the compiler finds in its place."""

MACROS = f"""\
#define _GNU_SOURCE
#define OBJECT_FILE "{OBJECT_FILE}"
#define DIGITS_FILE "{DIGITS_FILE}"
#define HUGE_PAGES "{HUGE_PAGES}"
#define QUICK_FILE "{QUICK_FILE}"
#define OWN_PARTS {", ".join(f'"{part}"' for part in OWN_PARTS)}
#define OTHER_WORDS {", ".join(f'"{word}"' for word in OTHER_WORDS)}
"""

SOURCE = (
    MACROS
    + rustc_memory.SOURCE
    + r"""
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { COMPILED, REFUSED, UNDECIDED = 3, MAX_MESSAGE = 1 << 20 };
static const char *const own[] = {OWN_PARTS, 0}, *const other[] = {OTHER_WORDS, 0};
static int (*real_main)(int, char **, char **);
static int input, output;

/* Reads bytes. The compiler ends with the supervisor. */
static void take(char *to, size_t size) {
    while (size) {
        ssize_t got = read(input, to, size);
        if (got <= 0) _exit(0);
        to += got;
        size -= got;
    }
}

static void put(const char *from, size_t size) {
    while (size) {
        ssize_t done = write(output, from, size);
        if (done <= 0) _exit(0);
        from += done;
        size -= done;
    }
}

static uint32_t take_number(void) {
    uint32_t number;
    take((char *)&number, sizeof number);
    return ntohl(number);
}

/* Returns a text, with a byte of 0 behind it. */
static char *take_text(uint32_t *size) {
    *size = take_number();
    char *text = malloc((size_t)*size + 1);
    if (!text) _exit(0);
    take(text, *size);
    text[*size] = 0;
    return text;
}

/* Returns the value of a hexadecimal digit, or -1. */
static int digit_of(char digit) {
    return digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Replaces hexadecimal digits by the bytes that they are. Returns whether they are digits. */
static int decode(char *content, uint32_t *size) {
    if (*size % 2) return 0;
    for (uint32_t i = 0; i < *size; i += 2) {
        int high = digit_of(content[i]), low = digit_of(content[i + 1]);
        if (high < 0 || low < 0) return 0;
        content[i / 2] = (char)(high << 4 | low);
    }
    *size /= 2;
    return 1;
}

/* Writes a file of the program, and the folders that it is in. Returns whether it could. */
static int take_file(void) {
    uint32_t size;
    int is_whole = 1;
    char *path = take_text(&size), *content, *end = path;
    while ((end = strchr(end + 1, '/'))) {
        *end = 0;
        mkdir(path, 0777);
        *end = '/';
    }
    content = take_text(&size);
    if (!strcmp(path, DIGITS_FILE)) {
        strcpy(path, OBJECT_FILE);
        is_whole = decode(content, &size);
    }
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    ssize_t done, left = size;
    for (char *next = content; file >= 0 && left && (done = write(file, next, left)) > 0; next += done) left -= done;
    if (file >= 0) close(file);
    free(path);
    free(content);
    return is_whole && file >= 0 && !left;
}

/* Returns whether a program is built with what is prepared, whose path its file has. */
static int is_quick(void) {
    char first = 0;
    int file = open(QUICK_FILE, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    if (read(file, &first, 1) != 1) first = 0;
    close(file);
    return first == '/';
}

/* Returns whether a message is the one that the plain build would write. */
static int is_own(const char *message) {
    for (int i = 0; other[i]; i++)
        if (strstr(message, other[i])) return 0;
    for (int i = 0; own[i]; message += strlen(own[i++]))
        if (!(message = strstr(message, own[i]))) return 0;
    return 1;
}

/* Compiles a program in a process of its own. Returns the status, and the message that goes with it. */
static int build(int count, char **words, char *message, uint32_t *size) {
    int ends[2], status;
    *size = 0;
    if (pipe2(ends, O_CLOEXEC)) return UNDECIDED;
    pid_t child = fork();
    if (!child) {
        int nothing = open("/dev/null", O_RDONLY);
        if (dup2(nothing, 0) < 0 || dup2(ends[1], 1) < 0 || dup2(ends[1], 2) < 0) _exit(2);
        /* A program may include a file by its descriptor. */
        int mine[] = {nothing, ends[0], ends[1], input, output};
        for (int i = 0; i < 5; i++) close(mine[i]);
        exit(real_main(count, words, environ));
    }
    close(ends[1]);
    char rest[4096];
    ssize_t got;
    for (;;) {
        size_t room = MAX_MESSAGE - *size;
        got = read(ends[0], room ? message + *size : rest, room ? room : sizeof rest);
        if (got <= 0) break;
        if (room) *size += got;
    }
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return UNDECIDED;
    while (*size && message[*size - 1] == '\n') --*size;
    message[*size] = 0;
    if (WEXITSTATUS(status) == 1 && *size < MAX_MESSAGE - 1 && is_own(message)) {
        message[(*size)++] = '\n';
        return REFUSED;
    }
    *size = 0;
    return WEXITSTATUS(status) ? UNDECIDED : COMPILED;
}

static int serve(int count, char **words, char **unused) {
    static char message[MAX_MESSAGE + 1];
    (void)unused;
    /* What the compiler starts is not to load this library. */
    unsetenv("LD_PRELOAD");
    if (getenv(HUGE_PAGES)) dl_iterate_phdr(move_code, 0);
    unsetenv(HUGE_PAGES);
    /* A program may include a file of another process, whose descriptors nobody else can open then. */
    prctl(PR_SET_DUMPABLE, 0);
    input = fcntl(0, F_DUPFD_CLOEXEC, 3);
    output = fcntl(1, F_DUPFD_CLOEXEC, 3);
    put("R", 1);
    for (;;) {
        uint32_t left, size;
        int is_whole = 1;
        for (left = take_number(); left; left--) is_whole &= take_file();
        /* The words of a compiler that has been loaded stay the same. */
        for (left = take_number(); left; left--) free(take_text(&size));
        size = 0;
        int32_t status = is_whole && is_quick() ? build(count, words, message, &size) : UNDECIDED;
        uint32_t head[] = {htonl(status), htonl(size)};
        put((char *)head, sizeof head);
        put(message, size);
    }
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **words, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack) {
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(serve, count, words, init, fini, end, stack);
}
"""
)
"""The library, in C."""

# With what it knows of `malloc`, GCC would make `calloc` call itself.
COMPILE = ("gcc", "-O2", "-shared", "-fPIC", "-pthread", "-fno-builtin")


def warm_rustc(library: str, *words: str) -> WarmCompiler:
    """Return the warm compiler of a build by `rustc`.

    Args:
        library: path of the compiled library; "" if there is none.
        words: of the build's command. They may not depend on the program.
    """
    variables = f'LD_PRELOAD="$prepared"{f" {HUGE_PAGES}=1" if are_huge_pages_on() else ""}'
    command = f"prepared={shlex.quote(library)}; {IS_PREPARED} && {variables} exec {shlex.join(words)}"
    return WarmCompiler(("sh", "-c", command), {}, ())
