"""The functions in C that write results of calls as JSON, for the token's file of compiled programs."""

from __future__ import annotations

WIDEST = """\
#ifdef code_eval_widest
#elif defined __SIZEOF_INT128__
#define code_eval_widest __int128
#else
#define code_eval_widest long long
#endif
"""
"""The longest integer, unless a program has chosen a type."""

VALUES = r"""
static void put_text(const char *text) {
    while (*text) put(*text++);
}
static void put_whole(unsigned code_eval_widest value) {
    char digits[48], *first = digits + sizeof digits;
    *--first = 0;
    do *--first = (char)('0' + (int)(value % 10));
    while (value /= 10);
    put_text(first);
}
static void put_signed(code_eval_widest value) {
    if (value < 0) put('-');
    put_whole(value < 0 ? -(unsigned code_eval_widest)value : (unsigned code_eval_widest)value);
}
/* A byte is one character, unless it has a meaning in JSON. */
static void put_quoted(const char *text, unsigned long length) {
    put('"');
    for (const char *last = text + length; text < last; text++) {
        if (*text == '"' || *text == '\\') put('\\');
        if ((unsigned char)*text >= ' ') put(*text);
        else put_text("\\u00"), put((char)('0' + *text / 16)), put("0123456789abcdef"[*text % 16]);
    }
    put('"');
}
"""
"""Functions that write numbers and texts with a function `put`, which writes a character."""

# A header that tests choose may declare functions of the library, too.
BUFFER = r"""
int flush_all(void *) __asm__("fflush");
static char results[1 << 24];
static unsigned long used;
static void put(char each) {
    if (used == sizeof results) say("the results are too long\n"), die();
    results[used++] = each;
}
"""
FINISH = r"""
static void put_finish(void) {
    /* Not in a child process, as for the token. What the candidate has printed comes before the results. */
    if (call(SYS_getpid, 0, 0, 0, 0) != process) return;
    flush_all(0);
    put_text("]\n");
    for (unsigned long written = 0; written < used;) {
        long count = call(SYS_write, output, (long)(results + written), (long)(used - written), 0);
        if (count <= 0) break;
        written += (unsigned long)count;
    }
}
"""
PUTTERS = (
    f"{WIDEST}{BUFFER}{VALUES}{FINISH}"
    + r"""
static void begin(void) { put_text(used ? "," : "\n["); }
/* All digits of the number, which is odd * 2 ** power, or odd * 5 ** -power / 10 ** -power. */
static void put_double(double value) {
    union { double value; unsigned long long bits; } parts = {value};
    unsigned long long odd = parts.bits & ((1ull << 52) - 1);
    int power = (int)(parts.bits >> 52 & 2047), count = 0;
    if (parts.bits >> 63 && value == value) put('-');
    if (power == 2047) {
        put_text(odd ? "NaN" : "Infinity");
        return;
    }
    if (power) odd |= 1ull << 52;
    else power = 1;
    power -= 1075;
    if (!odd) power = 0;
    while (odd && !(odd & 1)) odd >>= 1, power++;
    unsigned limbs[100];
    do limbs[count++] = (unsigned)(odd % 1000000000);
    while (odd /= 1000000000);
    for (int left = power < 0 ? -power : power; left; left--) {
        unsigned long long carry = 0;
        for (int place = 0; place < count; place++) {
            carry += (unsigned long long)limbs[place] * (power < 0 ? 5 : 2);
            limbs[place] = (unsigned)(carry % 1000000000);
            carry /= 1000000000;
        }
        if (carry) limbs[count++] = (unsigned)carry;
    }
    put_whole(limbs[--count]);
    while (count--)
        for (unsigned unit = 100000000; unit; unit /= 10) put((char)('0' + limbs[count] / unit % 10));
    if (power < 0) put_text("e-"), put_whole((unsigned)-power);
}
"""
)
"""Functions that write values."""

# Dividing longer integers needs a library that not every linker's command has.
SHAPED = (
    f"#define code_eval_widest long long\n{PUTTERS}"
    + r"""
void code_eval_put_TAG(const char *, unsigned long), code_eval_quote_TAG(const char *, unsigned long);
void code_eval_signed_TAG(long long), code_eval_unsigned_TAG(unsigned long long);
void code_eval_begin_TAG(void), code_eval_finish_TAG(void);
void code_eval_put_TAG(const char *text, unsigned long length) {
    while (length--) put(*text++);
}
void code_eval_quote_TAG(const char *text, unsigned long length) { put_quoted(text, length); }
void code_eval_signed_TAG(long long value) { put_signed(value); }
void code_eval_unsigned_TAG(unsigned long long value) { put_whole(value); }
void code_eval_begin_TAG(void) { begin(); }
void code_eval_finish_TAG(void) { put_finish(); }
"""
)
"""PUTTERS, and functions for a language whose own code goes through lists, for a program with the tag TAG."""
