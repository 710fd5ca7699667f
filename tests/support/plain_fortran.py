"""Candidates in Fortran whose results are compared elsewhere: {what they do: (candidate, tests)}."""

from support.attacks_fortran import C_CALLS, EXTERNAL, SAME, TESTS, bound, module

WHOLE = """\
module m
  implicit none
contains
  integer(8) function big(a)
    integer, intent(in) :: a
    big = a * 1000000007_8
  end function
  integer(1) function small()
    small = -7_1
  end function
  logical function even(a)
    integer, intent(in) :: a
    even = mod(a, 2) == 0
  end function
end module
"""
WHOLE_TESTS = """\
! Tests.
PROGRAM Check
  USE m
  IMPLICIT NONE
  IF (BIG(3) /= 3000000021_8) ERROR STOP 1
  if (small() .ne. -7) then ! seven
    print *, 'no', small()
    stop 2
  end if
  if (.not. even(2)) error stop; if (even(3)) &
    & error stop
  if (even(4) .neqv. .true.) call exit(1)
END PROGRAM
"""
REAL = """\
module m
  implicit none
  integer, parameter :: wp = kind(1.0d0)
contains
  real function third(a)
    real, intent(in) :: a
    third = a / 3
  end function
  real(wp) function half(a)
    real(wp), intent(in) :: a
    half = a / 2
  end function
  real(16) function tenth()
    tenth = 0.1_16
  end function
end module
"""
REAL_TESTS = """\
program check
  use m
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: tol = 1e-9_dp
  real(dp) :: x
  if (half(0.2_dp) /= 0.1_dp) error stop
  if (abs(half(3.0d0) - 1.5) > tol) error stop
  if (abs(third(2.0) - 0.6666667) >= 1e-6) error stop
  x = half(5d0)
  if (x /= 2.5) error stop
  if (.not. (abs(tenth() - 0.1_dp) < tol)) error stop
  if (half(-2d0) /= -1) error stop
end program
"""
TEXT = """\
module m
  implicit none
contains
  function twice(a) result(r)
    character(*), intent(in) :: a
    character(:), allocatable :: r
    r = a // a
  end function
  function quoted() result(r)
    character(9) :: r
    r = "é" // achar(34) // achar(92)
  end function
end module
"""
TEXT_TESTS = """\
program check
  use m
  implicit none
  character(len=5) :: word = 'ab'
  character(len=8) :: twofold
  if (twice("a'") /= "a'a'") error stop "no text"
  if (trim(twice('it''s ')) /= "it's it's") error stop
  twofold = twice(trim(word))
  if (twofold /= 'abab') error stop
  if (quoted() /= 'é"\\') error stop
end program
"""
LISTS = """\
module m
  implicit none
contains
  function doubled(a) result(r)
    integer, intent(in) :: a(:)
    integer, allocatable :: r(:)
    r = 2 * a
  end function
  subroutine negate(a)
    real, intent(in out) :: a(:)
    a = -a
  end subroutine
end module
"""
LIST_TESTS = """\
program check
  use m
  implicit none
  real :: each(3) = [1.0, 2.5, 3.0]
  integer, allocatable :: r(:)
  if (any(doubled([1, 2]) /= [2, 4])) error stop
  if (.not. all((/ 0, -6 /) == doubled([0, -3]))) error stop
  call negate(each)
  if (any(each /= [-1.0, -2.5, -3.0])) error stop
  if (each(2) /= -2.5) stop 1
  r = doubled([7])
  if (size(r) /= 1 .or. r(1) /= 14) error stop
  write (*, *) 'all is well'
  stop
end program
"""
HONEST = {
    "whole numbers": (WHOLE, WHOLE_TESTS),
    "real numbers": (REAL, REAL_TESTS),
    "texts": (TEXT, TEXT_TESTS),
    "lists": (LISTS, LIST_TESTS),
    "a function alone": ("integer function add(a, b)\n  integer :: a, b\n  add = a + b\nend function\n", EXTERNAL),
    "names of the writer's": (
        module(
            "+",
            declared="integer :: real, size, merge, results, used, value, put_whole",
            more="  subroutine begin\n  end subroutine\n",
        ),
        TESTS,
    ),
    "much output": (
        module("+", body='block\n integer :: i\n do i = 1, 500\n write (*, "(A)") "[5,1]"\n end do\n end block'),
        TESTS,
    ),
}
OWN_WRITER = """\
module code_eval_results
  implicit none
  interface code_eval_int
    module procedure put
  end interface
contains
  subroutine put(n)
    integer, intent(in) :: n
  end subroutine
  subroutine code_eval_finish
    print "(A)", "[5,1]"
  end subroutine
end module
"""
ATTACKS = {
    "a writer of its own": (module(more=bound("code_eval_put_whole", "n", "  integer(8), value :: n")), TESTS),
    "results that it writes itself": (
        module(
            declared='interface\n subroutine put(n) bind(C, name="code_eval_put_whole")\n import\n'
            " integer(c_long_long), value :: n\n end subroutine\n end interface",
            body="call put(5_8)",
        ),
        TESTS,
    ),
    "a module of the writer's name": (OWN_WRITER + module(), TESTS),
    "a list in place of the results": (
        module(body='write (*, "(A)") "[5,2]"'),
        TESTS,
    ),
    "leaves with results": (
        module(declared=C_CALLS, body='write (*, "(A)") "[5,1]"\n    flush (6)\n    call c_exit(0)'),
        TESTS,
    ),
    "a flush of its own": (module(more=bound("fflush", "file", "  type(c_ptr), value :: file")), TESTS),
    "a comparison of its own": (module(more=SAME.format("memcmp")), TESTS),
    "no number": (
        module()
        .replace("integer function add", "real function add")
        .replace("add = a * b", "add = 0\n    add = add / add"),
        "program tests\n  use sums\n  if (abs(add(2, 3) - 5) > 1e-6) error stop\nend program\n",
    ),
    "a list that is longer": (
        "function add(a, b)\n  integer :: a, b, add(3)\n  add = [a + b, a + b + 1, 0]\nend function\n",
        "program tests\n  interface\n    function add(a, b)\n      integer :: a, b, add(3)\n    end function\n"
        "  end interface\n  if (any(add(2, 3) /= [5, 6])) error stop\nend program\n",
    ),
    "another kind of truth": (
        module().replace("integer function add", "logical function add").replace("add = a * b", "add = .true."),
        TESTS,
    ),
    "a number in place of its own text": (
        'function name()\n  character(9) :: name\n  name = "5"\nend function\n',
        "program tests\n  integer, external :: name\n  if (name() /= 5) error stop\nend program\n",
    ),
}
