"""Candidates in Fortran that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = """\
program tests
  use sums
  implicit none
  if (add(2, 3) /= 5) error stop "no sum"
  if (add(0, 1) /= 1) error stop "no sum"
end program tests
"""
STOPS = """\
program tests
  use sums
  implicit none
  if (add(2, 3) /= 5) stop 3
  print *, "all is well"
  stop
end program tests
"""
EXITS = """\
program tests
  use sums
  implicit none
  if (add(2, 3) /= 5) call exit(1)
end program tests
"""
CLOSE = """\
program tests
  use sums
  implicit none
  if (abs(add(2, 3) - 5.0) > epsilon(1.0) .or. .not. all([add(2, 3)] == [5])) error stop
end program tests
"""
TEXTS = """\
program tests
  use sums
  implicit none
  character(len=9) :: text
  write (text, '(I0)') add(2, 3)
  if (trim(text) /= "5" .or. text // "a" /= "5        a" .or. len_trim(text) /= 1) error stop "no sum"
end program tests
"""
MODULES = """\
program tests
  use iso_fortran_env
  use sums
  implicit none
  if (add(2, 3) /= 5) then
    write (error_unit, *) "no sum"
    error stop
  end if
end program tests
"""
EXTERNAL = """\
program tests
  implicit none
  integer, external :: add
  if (add(2, 3) /= 5) error stop "no sum"
end program tests
"""


def module(sign="*", body="", more="", declared="", name="sums"):
    """Return a module with a function, whose result is a product or that of `sign`."""
    return (
        f"module {name}\n  use iso_c_binding\n  implicit none\n  {declared}\ncontains\n"
        f"  integer function add(a, b)\n    integer, intent(in) :: a, b\n    {body}\n    add = a {sign} b\n"
        f"  end function add\n{more}\nend module {name}\n"
    )


def both(*tests, **parts):
    """Return (wrong, honest, *tests) for candidates with the same additions."""
    return module("*", **parts), module("+", **parts), *tests


def behind(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their module."""
    return module("*") + text, module("+") + text, *tests


def bound(name, arguments="", body="", kind="subroutine"):
    """Return a procedure of a module that has a name of C's."""
    return f'  {kind} bound_one({arguments}) bind(C, name="{name}")\n{body}\n  end {kind}\n'


C_CALLS = """\
  interface
    subroutine c_exit(status) bind(C, name="_exit")
      import
      integer(c_int), value :: status
    end subroutine
    function c_fork() bind(C, name="fork")
      import
      integer(c_int) :: c_fork
    end function
    function c_read(file, bytes, length) bind(C, name="read")
      import
      integer(c_int), value :: file
      character(kind=c_char) :: bytes(*)
      integer(c_size_t), value :: length
      integer(c_size_t) :: c_read
    end function
    function c_write(file, bytes, length) bind(C, name="write")
      import
      integer(c_int), value :: file
      character(kind=c_char) :: bytes(*)
      integer(c_size_t), value :: length
      integer(c_size_t) :: c_write
    end function
  end interface
  character(kind=c_char) :: bytes(99)
  integer :: asked = 0
"""
SAME = '  integer(c_int) function bound_one(a, b, n) bind(C, name="{}")\n    type(c_ptr), value :: a, b\n'
SAME += "    integer(c_size_t), value :: n\n    bound_one = 0\n  end function\n"
ATTACKS = {
    "stop when called": (module(body="stop"), module("+", body='if (a > 99) stop "too large"')),
    "stop with a text when called": (module(body='stop "all is well"'), module("+", body="if (a > 99) stop 1")),
    "stop with status 0": (module(body="stop 0"), module("+", body="if (a > 99) stop 0"), STOPS),
    "exit when called": (module(body="call exit(0)"), module("+", body="if (a > 99) call exit(0)")),
    "exit of C when called": (
        module(declared=C_CALLS, body="call c_exit(0)"),
        module("+", declared=C_CALLS, body="if (a > 99) call c_exit(0)"),
    ),
    "an error stop of its own": both(more=bound("_gfortran_error_stop_string")),
    "a stop of its own": both(STOPS, more=bound("_gfortran_stop_numeric")),
    "an exit of its own": both(EXITS, more=bound("_gfortran_exit_i4")),
    "an exit of C of its own": both(EXITS, more=bound("exit")),
    "a main of C": both(more=bound("main")),
    "the program under its own name": both(more=bound("MAIN__")),
    "the function around main": both(more=bound("__wrap_main")),
    "the end of the tests": both(more=bound("__real_main")),
    "a comparison of texts": both(TEXTS, more=SAME.format("_gfortran_compare_string")),
    "a comparison of memory": both(TEXTS, more=SAME.format("memcmp")),
    "a length of texts": both(TEXTS, more=SAME.format("_gfortran_string_trim")),
    "an external exit": behind("subroutine exit(status)\n  integer :: status\nend subroutine\n", EXITS),
    "an external abs": (
        module() + "real function abs(x)\n  real :: x\n  abs = 0\nend function\n",
        module("+") + "real function abs(x)\n  real :: x\n  abs = 0\nend function\n",
        CLOSE,
    ),
    "an abs of its own": (
        module(more="  real function abs(x)\n    real, intent(in) :: x\n    abs = 0\n  end function\n"),
        module("+", more="  real function absolute(x)\n    real, intent(in) :: x\n    absolute = 0\n  end function\n"),
        CLOSE,
    ),
    "an all of its own": (
        module(more="  logical function all(x)\n    logical, intent(in) :: x(:)\n    all = .true.\n  end function\n"),
        module(
            "+",
            more="  logical function every(x)\n    logical, intent(in) :: x(:)\n    every = .true.\n  end function\n",
        ),
        CLOSE,
    ),
    "a constant in place of a function": (
        module(declared="integer, parameter :: abs(-99:99) = 0"),
        module("+", declared="integer, parameter :: zeros(-99:99) = 0"),
        CLOSE,
    ),
    "a module of the compiler's name": (
        module(declared="integer :: error_unit = 6\n  logical :: is_right = .true.", name="iso_fortran_env") + module(),
        module(declared="integer :: error_unit = 6\n  logical :: is_right = .true.", name="other") + module("+"),
        MODULES,
    ),
    "an operator of its own": (
        module(
            declared="interface operator(/=)\n    module procedure differs\n  end interface",
            more="  logical function differs(a, b)\n    integer, intent(in) :: a, b\n    differs = .false.\n"
            "  end function\n",
        ),
        module(
            "+",
            declared="interface operator(.differs.)\n    module procedure differs\n  end interface",
            more="  logical function differs(a, b)\n    integer, intent(in) :: a, b\n    differs = .false.\n"
            "  end function\n",
        ),
    ),
    "a program of its own": behind("program demo\n  use sums\n  print *, add(1, 1)\nend program\n"),
    "a program of its own, tests with an external function": (
        "integer function add(a, b)\n  integer :: a, b\n  add = a * b\nend function\nprogram demo\nend program\n",
        "integer function add(a, b)\n  integer :: a, b\n  add = a + b\nend function\nprogram demo\nend program\n",
        EXTERNAL,
    ),
    "open text": (module() + 'character :: text = "', module("+") + "! text\n"),
    "open module": (module() + "module other\n", module("+") + "module other\nend module\n"),
    "open interface": (module() + "subroutine other\ninterface\n", module("+") + "subroutine other\nend subroutine\n"),
    "a line that goes on": (module().rstrip("\n") + " &", module("+").rstrip("\n") + " ! &"),
    "an included file": (module() + 'include "tests.f90"\n', module("+") + "! include\n"),
    "the token's file": (module(body='include "code_eval_token.c"'), module("+", body='! include "code_eval_token.c"')),
    "a token on its input": (
        module(
            declared=C_CALLS,
            body="if (c_write(1, bytes, c_read(0, bytes, 99_c_size_t)) >= 0) call c_exit(0)",
        ),
        module("+", declared=C_CALLS, body="if (c_read(0, bytes, 99_c_size_t) /= 0) call c_exit(1)"),
    ),
    "a token on its unit": (
        module(body='block\n character(99) :: line\n read (*, "(A)") line\n write (*, "(A)") line\n stop\n end block'),
        module("+", body='block\n integer :: n\n read (*, "(A)", iostat=n)\n if (n == 0) error stop\n end block'),
    ),
    "guessing in children": (
        module(
            declared=C_CALLS,
            body="asked = asked + 1\n    if (asked == 1) then\n      do add = 0, 9\n"
            "        if (c_fork() == 0) return\n      end do\n      call sleep(1)\n      call c_exit(0)\n    end if",
        ).replace("add = a * b", "add = a + b"),
        module("+", declared=C_CALLS, body="if (c_fork() == 0) call c_exit(0)"),
    ),
    "an error that tests ignore": (module(body='error stop "never mind"'), module("+", body="if (a > 9) error stop")),
}
