"""The part of Fortran programs that writes results of calls as JSON, for tests that `fortran` has read.

A module of our own chooses by the types of results. What it calls is in the token's file, in C.
"""

from __future__ import annotations

import re

from sandboxes.languages.apart.native_results import PUTTERS

MODULE_NAME = "code_eval_results"
USE_MODULE = f"use {MODULE_NAME}"
FINISH = "call code_eval_finish()"

WHOLE, REAL = ("integer(1)", "integer(2)", "integer(4)", "integer(8)"), ("real(4)", "real(8)", "real(16)")
# How a result is converted to be compared with data of a type, and what writes it.
PUT_WHOLE, PUT_REAL = "call put_whole(int(value, 8))", "call put_real(real(value, 8))"
PUT_SINGLE = "call put_real(real(real(value, 4), 8))"
# A number between two of real(8) is equal to no data.
PUT_EXACT = f"if (real(value, 8) == value .or. value /= value) then\n{PUT_REAL}\nelse\ncall put_other()\nend if"
# An integer of any size that data may have.
PUT_LARGE = "if (abs(value) < 9e18 .and. value == aint(value)) then\ncall put_whole(int(value, 8))\nelse\n"
FORMS = {
    "int": (PUT_WHOLE, PUT_REAL, PUT_REAL, PUT_EXACT),
    "long": (PUT_WHOLE, PUT_REAL, PUT_REAL, PUT_EXACT),
    "float": (PUT_SINGLE, PUT_REAL, PUT_REAL, PUT_EXACT),
    "double": (PUT_REAL, PUT_REAL, PUT_REAL, PUT_EXACT),
    "noted": (
        PUT_WHOLE,
        "call put_single(real(value, 8))",
        "call put_double(real(value, 8))",
        f"{PUT_LARGE}{PUT_EXACT}\nend if",
    ),
}
"""What writes integers, and each kind of reals, by the type of the data that they are compared with. As in C, integers
that some reals round are noted with their types."""

# A long real that only has to be near is rounded.
FORMS |= {f"near_{form}": (*FORMS[form][:3], PUT_REAL) for form in ("int", "long", "float", "double")}
USED = re.compile(r"\bcode_eval_(list_)?(" + "|".join(FORMS) + r")\(")


def interface(is_list: bool, form: str) -> tuple[str, str]:
    """Return the interface and the procedures that write results of all types.

    Args:
        is_list: whether the results are lists.
        form: one of FORMS.
    """
    prefix = "list_" if is_list else ""
    names, bodies = list[str](), list[str]()
    for kind, type_name in enumerate((*WHOLE, *REAL)):
        put = FORMS[form][max(0, kind - len(WHOLE) + 1)]
        names.append(f"{prefix}{form}_{kind}")
        head = f"subroutine {names[-1]}(value)\n{type_name}, intent(in) :: value\ncall begin()\n"
        if not is_list:
            bodies.append(f"{head}{put}\nend subroutine")
            continue
        # One number is compared with all elements of a list.
        bodies.append(f"{head}call begin_list()\n{put}\ncall end_list()\nend subroutine")
        names.append(f"lists_{form}_{kind}")
        bodies.append(
            f"subroutine {names[-1]}(values)\n{type_name}, intent(in) :: values(:)\n{type_name} :: value\n"
            f"integer :: place\ncall begin()\ncall begin_list()\ndo place = 1, size(values)\nvalue = values(place)\n"
            f"if (place > 1) call comma()\n{put}\nend do\ncall end_list()\nend subroutine"
        )
    named = f"interface code_eval_{prefix}{form}\nmodule procedure {', '.join(names)}\nend interface"
    return f"public :: code_eval_{prefix}{form}\n{named}", "\n".join(bodies)


BOUND = "\n".join(
    f'subroutine {name}({argument}) bind(C, name="code_eval_{name}")\n{declared}\nend subroutine'
    for name, argument, declared in (
        *((name, "", "") for name in ("begin", "begin_list", "end_list", "comma", "put_other", "put_finish")),
        ("put_whole", "value", "integer(8), value :: value"),
        ("put_truth", "value", "integer(4), value :: value"),
        *((name, "value", "real(8), value :: value") for name in ("put_real", "put_single", "put_double")),
        ("put_text", "text, length", "character(kind=1) :: text(*)\ninteger(8), value :: length"),
    )
)
MODULE = """\
module %(name)s
implicit none
private
public :: code_eval_finish, code_eval_text, code_eval_truth
interface
%(bound)s
end interface
interface code_eval_truth
module procedure truth_1, truth_2, truth_4, truth_8
end interface
%(interfaces)s
contains
%(bodies)s
subroutine code_eval_text(value)
character(len=*), intent(in) :: value
call begin()
call put_text(value, int(len_trim(value), 8))
end subroutine
subroutine code_eval_finish()
integer :: status
flush (6, iostat=status)
call put_finish()
end subroutine
end module
"""
TRUTHS = "\n".join(
    f"subroutine truth_{kind}(value)\nlogical({kind}), intent(in) :: value\ncall begin()\n"
    "call put_truth(merge(1, 0, value))\nend subroutine"
    for kind in (1, 2, 4, 8)
)


def results_module(records: str) -> str:
    """Return the module that tests use, with what their records call."""
    used = sorted({(bool(prefix), form) for prefix, form in USED.findall(records)})
    parts = [interface(is_list, form) for is_list, form in used]
    return MODULE % {
        "name": MODULE_NAME,
        "bound": BOUND,
        "interfaces": "\n".join(public for public, _ in parts),
        "bodies": "\n".join([TRUTHS, *(bodies for _, bodies in parts)]),
    }


WRITER = (
    PUTTERS
    + r"""
void code_eval_begin(void) { begin(); }
void code_eval_begin_list(void) { put('['); }
void code_eval_end_list(void) { put(']'); }
void code_eval_comma(void) { put(','); }
void code_eval_put_other(void) { put_text("\"a long real\""); }
void code_eval_put_whole(long long value) { put_signed(value); }
void code_eval_put_truth(int value) { put_text(value ? "true" : "false"); }
void code_eval_put_real(double value) { put_double(value); }
void code_eval_put_single(double value) { put_text("[\"float\","), put_double(value), put(']'); }
void code_eval_put_double(double value) { put_text("[\"double\","), put_double(value), put(']'); }
void code_eval_put_text(const char *text, long long length) { put_quoted(text, (unsigned long)length); }
void code_eval_put_finish(void) { put_finish(); }
"""
)
