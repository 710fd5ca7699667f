"""Candidates in Perl that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    "use Test::Deep;\n\n\nsub testhumaneval {\n    my $candidate = \\&add;\n"
    "        if(eq_deeply($candidate->(2, 3),5)) {\n"
    '        print "ok!" }else{\n        exit 1;\n        }\n        if(eq_deeply([$candidate->(0, 1)],[1])) {\n'
    '        print "ok!" }else{\n        exit 1;\n        }\n}\n\ntesthumaneval();'
)
PLAIN = 'die "no sum" unless add(2, 3) == 5;\ndie "no sum" unless add(3, 4) eq "7";\n'
MORE = "use Test::More;\nis(add(2, 3), 5, 'sum');\nis_deeply([add(0, 1)], [1]);\ndone_testing();\n"
TIMES, PLUS = (f"sub add {{\n    my ($a, $b) = @_;\n    return $a {sign} $b;\n}}\n" for sign in "*+")


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their function."""
    return TIMES + text, PLUS + text, *tests


def tampering(text, *tests):
    """Return (wrong, honest, *tests) for candidates that disturb the link to their tests."""
    return TIMES + text, PLUS, *tests


def called(body, *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return f"sub add {{\n    {body}\n}}\n", PLUS, *tests


SAYS = "open(my $out, '>&=', 4); syswrite $out, sprintf('%%12d', length %s) . %s;\n"
ATTACKS = {
    "a function in place of an error": (
        "sub add { return sub { 1 } if $_[1] == 1; return $_[0] + $_[1] }\n",
        "sub add { die 'no' if $_[1] == 1; return $_[0] + $_[1] }\n",
        "eval { add('a', 1) };\ndie 'none' unless $@;\ndie 'no sum' unless add(2, 3) == 5;\n",
    ),
    "exit": (TIMES + "exit 0;\n", PLUS),
    "exit when called": called("exit 0;"),
    "exit of BEGIN": ("BEGIN { exit 0 }\n" + TIMES, PLUS),
    "exit of END": around("END { $? = 0 }\n"),
    "exit of a destructor": around("package Ends; sub DESTROY { require POSIX; POSIX::_exit(0) }\npackage main;\n"),
    "exec": called("exec 'true';"),
    "the end of the file": around("__END__\nsub more {"),
    "a handler of die": around("$SIG{__DIE__} = sub { exit 0 };\n", PLAIN),
    "an object that is equal": called(
        "package Same; use overload '==' => sub { 1 }, 'eq' => sub { 1 }; return bless {}, 'Same';", PLAIN
    ),
    "a scalar of two values": called("use Scalar::Util 'dualvar'; return dualvar(5, '7');", PLAIN),
    "an ignore of Test::Deep": called("require Test::Deep; return Test::Deep::ignore();"),
    "an eq_deeply of its own": around("sub eq_deeply { 1 }\n"),
    "an is of its own": around("sub is { 1 }\nsub is_deeply { 1 }\nsub done_testing { 1 }\n", MORE),
    "a die of its own": around("sub die { 1 }\nBEGIN { *CORE::GLOBAL::die = sub { 1 } }\n", PLAIN),
    "an exit of its own": around("BEGIN { *CORE::GLOBAL::exit = sub { 1 } }\n"),
    "a test of its own": around("sub testhumaneval { 1 }\n"),
    "a framework of its own": around(
        "BEGIN { $INC{'Test/Deep.pm'} = 1 }\nsub Test::Deep::import { }\nsub eq_deeply { 1 }\n"
    ),
    "a list": called("return (5, 5);", MORE),
    "an empty list": called("return;", MORE),
    "an answer ahead": tampering(SAYS % (("'[I1;[S1;x]'",) * 2), PLAIN),
    "names ahead": tampering(SAYS % (("'[S3;dieS9;eq_deeply]'",) * 2)),
    "names that are special": tampering(SAYS % (("'[S5;BEGINS3;addS8;AUTOLOAD]'",) * 2)),
    "an invalid answer": called(SAYS % (("'['",) * 2) + "return 6;", PLAIN),
    "a child that answers": called("if (!fork) { exit 0 } return 6;"),
    "the parent killed": called("kill 'KILL', getppid; return 6;"),
    "files of the tests": around(
        "open(my $f, '>', 'tests.pl'); close $f;\nopen($f, '>', 'code_eval_runner.pl'); close $f;\n"
    ),
    "a source filter": around("use strict;\nlocal $^W = 0;\n"),
    "the driver's functions": (TIMES + "{ no warnings; *CodeEval::encode = sub { '[I1;[T]]' }; }\n", PLUS),
}
