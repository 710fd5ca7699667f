"""Right candidates in Fortran with their tests, as models and benchmarks write them: {shape: (candidate, tests)}."""

from support.attacks_fortran import CLOSE, EXITS, EXTERNAL, MODULES, STOPS, TESTS, TEXTS, module

PLUS = module("+")
FUNCTION = (
    "integer function add(a, b)\n  implicit none\n  integer, intent(in) :: a, b\n  add = a + b\nend function add\n"
)
FORTRAN = {
    "a module": (PLUS, TESTS),
    "a stop at the end": (PLUS, STOPS),
    "a stop with status 0": (PLUS, STOPS.replace("  stop\n", "  stop 0\n")),
    "an exit": (PLUS, EXITS),
    "a difference": (PLUS, CLOSE),
    "texts": (PLUS, TEXTS),
    "modules of the compiler": (PLUS, MODULES),
    "a function alone": (FUNCTION, EXTERNAL),
    "a function alone, with an interface": (
        FUNCTION,
        "program tests\n  implicit none\n  interface\n    integer function add(a, b)\n"
        "      integer, intent(in) :: a, b\n    end function\n  end interface\n"
        "  if (add(2, 3) /= 5) error stop 1\nend program\n",
    ),
    "capital letters, and uses with lists": (
        PLUS.upper(),
        "! Tests.\nPROGRAM Test_Add\n  USE, INTRINSIC :: iso_fortran_env, ONLY: real64, &\n    int32\n"
        "  ! The sums.\n  USE sums, ONLY: plus => add\n\n  IMPLICIT NONE\n  REAL(real64) :: x\n  x = plus(2, 3)\n"
        "  IF (ABS(x - 5) > 1e-6) ERROR STOP\nEND PROGRAM\n",
    ),
    "types of its own": (
        "module shapes\n  implicit none\n  type :: point\n    integer :: x = 0\n  contains\n    procedure :: twice\n"
        "  end type\n  interface operator(+)\n    module procedure plus\n  end interface\ncontains\n"
        "  type(point) function plus(a, b)\n    type(point), intent(in) :: a, b\n    plus = point(a%x + b%x)\n"
        "  end function\n  integer function twice(self)\n    class(point), intent(in) :: self\n    twice = 2 * self%x\n"
        "  end function\nend module\n",
        "program tests\n  use shapes\n  implicit none\n  class(point), allocatable :: p\n  p = point(1) + point(2)\n"
        "  if (p%twice() /= 6) error stop\nend program\n",
    ),
    "arrays, and a procedure of the tests": (
        "module lists\n  implicit none\n  integer, save :: calls = 0\ncontains\n  function doubled(all_of) result(r)\n"
        "    integer, intent(in) :: all_of(:)\n    integer, allocatable :: r(:)\n    calls = calls + 1\n"
        "    r = 2 * all_of\n  end function\nend module\n",
        "program tests\n  use lists\n  implicit none\n  call check(all(doubled([1, 2]) == [2, 4]))\n"
        "  call check(size(doubled([integer ::])) == 0 .and. calls == 2)\ncontains\n  subroutine check(is_right)\n"
        "    logical, intent(in) :: is_right\n    if (.not. is_right) error stop\n  end subroutine\nend program\n",
    ),
    "the name of an intrinsic function": (
        module("+").replace("add", "norm2"),
        TESTS.replace("add", "norm2"),
    ),
    "a name of C's": (
        module("+").replace("function add(a, b)", "function add(a, b) bind(C)", 1),
        TESTS,
    ),
    "a common block": (
        "subroutine fill(n)\n  integer :: n, all(3)\n  common /shared/ all\n  all = n\nend subroutine\n",
        "program tests\n  integer :: all(3)\n  common /shared/ all\n  call fill(4)\n"
        "  if (sum(all) /= 12) error stop\nend program\n",
    ),
    "output": (module("+", body='write (*, "(A)", advance="no") "adds"'), TESTS),
    "a program of its own": (PLUS + "program demo\n  print *, 1\nend program\n", TESTS),
    "a whole program": (PLUS + TESTS, ""),
}
