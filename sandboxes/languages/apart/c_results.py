"""The part of C programs that writes results of calls as JSON, for tests that `c` has read. Used by `c_family`.

The functions are in the token's file, where no macro and no function of the candidate's reaches them. They are declared
before the candidate, under names that it can't guess. The macros come after it, and take its own of these names back.
"""

from __future__ import annotations

from sandboxes.languages.apart.native_results import PUTTERS, WIDEST

MACRO_NAMES = "code_eval_number code_eval_noted code_eval_near code_eval_truth CODE_EVAL_WIDE"
FUNCTIONS = {
    "signed": "code_eval_widest",
    "unsigned": "unsigned code_eval_widest",
    "double": "double",
    "long_double": "long double",
    "pointer": "const volatile void *",
    "noted_int": "unsigned",
    "noted_long": "unsigned long",
    "noted_long_long": "unsigned long long",
    "noted_float": "float",
    "noted_double": "double",
    "text": "const char *",
    "is_true": "int",
    "finish": "void",
}
"""The parameter of each of our functions."""

USED = "code_eval_finish();"
"""The statement by which tests write the results."""


# The common type of a result and of the data decides how they are compared. A note of it is only needed if the data is
# another number in some types: if it is negative, or too large for a float.
CHOICES = """\
#define %(macro)s(zero, ...) _Generic(1 ? (__VA_ARGS__) : zero, \\
    int: code_eval_signed, long: code_eval_signed, long long: code_eval_signed, \\
    CODE_EVAL_WIDE \\
    unsigned: code_eval_%(int)s, unsigned long: code_eval_%(long)s, unsigned long long: code_eval_%(long_long)s, \\
    float: code_eval_%(float)s, double: code_eval_%(double)s, long double: code_eval_%(long_double)s, \\
    default: code_eval_pointer)(1 ? (__VA_ARGS__) : zero)
"""
NUMBER = {
    **dict.fromkeys(("int", "long", "long_long"), "unsigned"),
    **dict.fromkeys(("float", "double"), "double"),
    "long_double": "long_double",
}
NOTED = {kind: f"noted_{kind}" for kind in NUMBER} | {"long_double": "long_double"}
# A long double is rounded, because it only has to be near.
NEAR = {**NUMBER, "long_double": "double"}
NAMES = (*(f"code_eval_{name}" for name in FUNCTIONS), *MACRO_NAMES.split(), "_Generic", "__int128")
MACROS = (
    "".join(f"#undef {name}\n" for name in NAMES)
    + """\
#ifdef __SIZEOF_INT128__
#define CODE_EVAL_WIDE __int128: code_eval_signed, unsigned __int128: code_eval_unsigned,
#else
#define CODE_EVAL_WIDE
#endif
#define code_eval_truth(...) code_eval_is_true((__VA_ARGS__) ? 1 : 0)
"""
    + CHOICES % {"macro": "code_eval_number", **NUMBER}
    + CHOICES % {"macro": "code_eval_noted", **NOTED}
    + CHOICES % {"macro": "code_eval_near", **NEAR}
)
"""The macros that tests use. A record is `code_eval_number(zero of the data's type, call)`."""

WRITER = r"""
static void note(const char *kind) { begin(), put_text("[\""), put_text(kind), put_text("\","); }
static void note_unsigned(unsigned long long value, unsigned long size) {
    note(size == 4 ? "uint32" : "uint64"), put_whole(value), put(']');
}
void code_eval_signed_TAG(code_eval_widest value) { begin(), put_signed(value); }
void code_eval_unsigned_TAG(unsigned code_eval_widest value) { begin(), put_whole(value); }
void code_eval_double_TAG(double value) { begin(), put_double(value); }
void code_eval_long_double_TAG(long double value) {
    begin();
    if ((long double)(double)value == value || value != value) put_double((double)value);
    else if (value > -2e19L && value < 2e19L && (long double)(code_eval_widest)value == value)
        put_signed((code_eval_widest)value);
    else put_text("\"a long double\"");
}
void code_eval_pointer_TAG(const volatile void *value) { begin(), put_text(value ? "\"a pointer\"" : "0"); }
void code_eval_noted_int_TAG(unsigned value) { note_unsigned(value, sizeof value); }
void code_eval_noted_long_TAG(unsigned long value) { note_unsigned(value, sizeof value); }
void code_eval_noted_long_long_TAG(unsigned long long value) { note_unsigned(value, sizeof value); }
void code_eval_noted_float_TAG(float value) { note("float"), put_double(value), put(']'); }
void code_eval_noted_double_TAG(double value) { note("double"), put_double(value), put(']'); }
void code_eval_is_true_TAG(int value) { begin(), put_text(value ? "true" : "false"); }
void code_eval_text_TAG(const char *value) {
    unsigned long length = 0;
    begin();
    while (value && value[length]) length++;
    if (value) put_quoted(value, length);
    else put_text("null");
}
void code_eval_finish_TAG(void) { put_finish(); }
"""

DECLARED = "\n".join(
    [
        WIDEST,
        *(f'void code_eval_{name}({kind}) __asm__("code_eval_{name}_TAG");' for name, kind in FUNCTIONS.items()),
        "#undef code_eval_widest",
    ]
)
"""Declarations that give our functions names of one program, with the tag TAG."""

DEFINED = PUTTERS + "".join(f"void code_eval_{name}_TAG({kind});\n" for name, kind in FUNCTIONS.items()) + WRITER
"""The functions for the token's file, likewise."""
