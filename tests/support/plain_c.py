"""Candidates in C whose results are compared elsewhere: {what they do: (candidate, tests)}."""

RIGHT = "int add(int a, int b) { return a + b; }\n"
WRONG = "int add(int a, int b) { return a * b; }\n"
ASSERTS = "#include <assert.h>\nint main(void) {\n    assert(add(2, 3) == 5);\n    assert(add(4, 5) == 9);\n}\n"
NAMED = '#include <assert.h>\n#include <string.h>\nint main(void) { assert(strcmp(name(), "qwerty asdf") == 0); }\n'
NEAR = "#include <assert.h>\n#include <math.h>\nint main(void) { assert(fabs(half(3) - 1.5) < 1e-6); }\n"

HONEST = {
    "whole numbers": (
        "#include <stdint.h>\n#include <stdbool.h>\nchar next(char a) { return a + 1; }\n"
        "bool even(int a) { return a % 2 == 0; }\n"
        "uint64_t most(void) { return -1; }\nshort less(int a) { return a - 1; }\nunsigned low(int a) { return a; }\n"
        "enum color { RED, GREEN } color(void) { return GREEN; }\nlong long big(void) { return 123456789012345; }\n"
        "__int128 wide(void) { return -((__int128)1 << 40); }\nunsigned char octet(void) { return 200; }\n",
        "#include <assert.h>\n#include <stdbool.h>\n#include <limits.h>\nint main(void) {\n"
        "    assert(next('a') == 'b');\n    assert(even(2));\n    assert(!even(3));\n    assert(even(4) == true);\n"
        "    assert(most() == -1);\n    assert(most() == 18446744073709551615ULL);\n    assert(less(0) == -1);\n"
        "    assert(-2 == low(-2));\n    assert(low(-1) == UINT_MAX);\n    assert(color() == 1);\n"
        "    assert(big() == 123456789012345);\n    assert(wide() == -1099511627776);\n    assert(octet() == 0xC8);\n"
        "    assert(less(11) == 2 * 3 + 4);\n    return 0;\n}\n",
    ),
    "real numbers": (
        "float third(float a) { return a / 3; }\ndouble half(double a) { return a / 2; }\n"
        "long double tenth(int a) { return a / 10.0L; }\nfloat large(void) { return 16777217; }\n",
        "#include <assert.h>\n#include <math.h>\n#define EPSILON 1e-6\nint main(void) {\n"
        "    assert(third(1) == 1.0f / 3);\n    assert(half(0.2) == 0.1);\n    assert(tenth(5) == 0.5);\n"
        "    assert(fabs(half(3) - 1.5) < EPSILON);\n    assert(fabsf(third(2.0f) - 0.6666667f) <= 1e-6f);\n"
        "    assert(fabs(0.1 - tenth(1)) < 1e-9);\n    assert(large() == 16777217);\n    assert(half(-2) == -1);\n"
        "    if (fabs(half(5) - 5.0 / 2) > EPSILON) return 1;\n}\n",
    ),
    "texts": (
        "#define _GNU_SOURCE\n#include <stdlib.h>\n#include <string.h>\n"
        "char *copy(const char *text) { return strdup(text); }\n"
        'const char *word(void) { return "b\\"\\\\\\n\\x01é"; }\nchar *none(void) { return NULL; }\n',
        "#include <assert.h>\n#include <string.h>\n#include <stdlib.h>\nint main() {\n"
        '    assert(strcmp(copy("a" "b"), "ab") == 0);\n    assert(!strcmp("b\\"\\\\\\n\\x01é", word()));\n'
        '    if (strcmp(word(), "b\\"\\\\\\n\\x01é") != 0) { return 1; }\n    if (strcmp(copy(""), "")) abort();\n'
        '    assert(none() == NULL);\n    assert(copy("") != NULL);\n    char *all = copy("x");\n    assert(all);\n'
        '    assert(strcmp(all, "x") == 0);\n    free(all);\n    return EXIT_SUCCESS;\n}\n',
    ),
    "lists": (
        "#include <stdlib.h>\nint *twice(int *all, int n, int *count) {\n    int *made = malloc(n * sizeof *made);\n"
        "    for (int i = 0; i < n; i++) made[i] = 2 * all[i];\n    *count = n;\n    return made;\n}\n"
        "void negate(int *all, int n) { while (n--) all[n] = -all[n]; }\nstruct pair { int x; double y; };\n"
        "struct pair pair(int a) { return (struct pair){a, a / 2.0}; }\n"
        "int sum(const int *all, int n) { return n ? *all + sum(all + 1, n - 1) : 0; }\n",
        "#include <assert.h>\n#include <stdlib.h>\n#define LENGTH 3\nint main(void) {\n"
        "    int all[LENGTH] = {1, 2, 3}, count;\n"
        "    int *made = twice(all, LENGTH, &count);\n    assert(count == 3);\n"
        "    assert(made[0] == 2 && made[2] == 6);\n"
        "    free(made);\n    negate(all, 3);\n    assert(all[1] == -2);\n    struct pair p = pair(3);\n"
        "    assert(p.x == 3);\n    assert(pair(5).y == 2.5);\n    assert(sum((int[]){1, 2, 3}, 3) == 6);\n"
        "    { int more[] = {4, 5}; assert(sum(more, sizeof(more) / sizeof(more[0])) == 9); }\n    return 0;\n}\n",
    ),
    "functions of tests, and failures that count": (
        RIGHT + "int even(int a) { return a % 2 ? 0 : 4; }\n",
        "#include <stdio.h>\n#include <stdlib.h>\nint add(int a, int b);\nstatic int failures = 0;\n"
        'void test_add(void) {\n    if (add(2, 3) != 5) { printf("got %d\\n", add(2, 3)); failures++; }\n'
        '    if (add(1, 1) == 2) {\n        puts("ok");\n    } else {\n        puts("no");\n'
        "        failures += 1;\n    }\n}\n"
        "static void test_even() {\n    int result = even(2);\n    if (!result || even(3)) exit(EXIT_FAILURE);\n}\n"
        "int main(int argc, char *argv[]) {\n    test_add();\n    test_even();\n"
        '    printf("%d failures\\n", failures);\n'
        "    return failures == 0 ? 0 : 1;\n}\n",
    ),
    "much output that is not flushed": (
        '#include <stdio.h>\nint add(int a, int b) { for (int i = 0; i < 999; i++) puts("[5,9]"); return a + b; }\n',
        ASSERTS,
    ),
    "names of the C library": (
        "int write(int n) { return n; }\nint printf(int n) { return write(n); }\n"
        "int fflush(int n) { return printf(n); }\nint results, used;\nstatic int put(int n) { return fflush(n); }\n"
        "int add(int a, int b) { return put(a) + b; }\n",
        ASSERTS,
    ),
    "a status that is a condition": (RIGHT, "int main(void) { return add(2, 3) != 5 || add(4, 5) != 9; }\n"),
}
SYSTEM = """\
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
"""
ATTACKS = {
    "a text in its own program": (
        SYSTEM + "static char all[1 << 20], found[99];\nconst char *name(void) {\n"
        '    long length = read(open("/proc/self/exe", O_RDONLY), all, sizeof all);\n'
        "    char mark[] = {'q', 'w', 'e', 0};\n"
        "    char *at = memmem(all, length, mark, 3);\n    return at ? strcpy(found, at) : mark;\n}\n",
        NAMED,
    ),
    "a macro that hears what a text is compared with": (
        SYSTEM + 'static const char *heard = "";\nstatic int hear(const char *text) { heard = text; return 0; }\n'
        "const char *name(void) { return heard; }\n#undef strcmp\n#define strcmp(a, b) hear(b)\n",
        NAMED,
    ),
    "a variable that holds what is expected": (
        "#define add(a, b) expected\n",
        "#include <assert.h>\nint main(void) { int expected = 5; int got = add(2, 3); assert(got == 5); }\n",
    ),
    "an assertion as a text": (
        "#include <stdlib.h>\nstatic int last(const char *text) { return atoi(text + 13); }\n"
        "#define assert(x) now = last(#x)\nint now;\nint add(int a, int b) { return now; }\n",
        ASSERTS,
    ),
    "macros of the writer's": (
        WRONG + "#define code_eval_number(zero, ...) code_eval_signed(5)\n#define _Generic(...) code_eval_signed\n"
        "#define code_eval_finish() 0\n",
        ASSERTS,
    ),
    "results that it writes itself": (
        WRONG + "void code_eval_signed(__int128);\n__attribute__((constructor)) static void first(void) {\n"
        "    code_eval_signed(5), code_eval_signed(8);\n}\n",
        ASSERTS,
    ),
    "a list in place of the results": (
        SYSTEM + WRONG + '__attribute__((destructor)) static void last(void) { puts("\\n[5,8]"); }\n',
        ASSERTS,
    ),
    "a number that no other is taken away from": (
        SYSTEM + "double half(int a) { return a; }\n__attribute__((destructor)) static void last(void) {\n"
        '    printf("\\n[9");\n    for (int i = 0; i < 400; i++) printf("9");\n    puts("]");\n}\n',
        NEAR,
    ),
    "no number": ('double half(int a) { return __builtin_nan(""); }\n', NEAR),
    "results in a child": (
        SYSTEM + "int add(int a, int b) { if (!fork()) return a + b; sleep(1); return a * b; }\n",
        ASSERTS,
    ),
    "an end in place of the last flush": (SYSTEM + "int fflush(FILE *file) { _exit(0); }\n" + WRONG, ASSERTS),
    "output that ends before the results": (
        SYSTEM + "int add(int a, int b) { for (int i = 1; i < 200; i++) close(i); return 0; }\n",
        ASSERTS,
    ),
    "a pointer in place of a number": (
        "const char *add(int a, int b) { return (char *)(long)(a + b + 1); }\n",
        ASSERTS,
    ),
    "a text in place of a number": ('const char *add(int a, int b) { return "5"; }\n', ASSERTS),
    "a truth in place of a number": ("_Bool add(int a, int b) { return a + b; }\n", ASSERTS),
    "a pragma of a name": (
        "#pragma redefine_extname code_eval_signed code_eval_pointer\n#pragma weak code_eval_finish\n" + WRONG,
        ASSERTS,
    ),
}
