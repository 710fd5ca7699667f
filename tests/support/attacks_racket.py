"""Candidates in Racket that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    "(require rackunit)\n\n(define (test-humaneval) \n\n  (let (( candidate add))\n"
    "    (check-within (candidate 2 3) 5 0.001)\n"
    "    (check-equal? (list (candidate 0 1)) (list 1))\n))\n\n(test-humaneval)"
)
PLAIN = '(unless (= (add 2 3) 5) (error "no sum"))\n(unless (equal? (add 3 4) 7) (error "no sum"))\n'
TIMES, PLUS = (f"#lang racket\n\n(define (add a b)\n  ({sign} a b)\n)\n" for sign in "*+")


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their function."""
    return TIMES + text, PLUS + text, *tests


def tampering(text, *tests):
    """Return (wrong, honest, *tests) for candidates that disturb the link to their tests."""
    return TIMES + text, PLUS, *tests


def called(body, *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return f"#lang racket\n(define (add a b)\n  {body})\n", PLUS, *tests


SAYS = "(define out (open-output-file \"/dev/fd/4\" #:exists 'append))\n(write '%s out)\n(flush-output out)\n"
ATTACKS = {
    "a function in place of an error": (
        "#lang racket\n(define (add a b) (if (= b 1) (lambda () 1) (+ a b)))\n",
        '#lang racket\n(define (add a b) (if (= b 1) (error "no") (+ a b)))\n',
        '(unless (with-handlers ([exn:fail? (lambda (e) #t)]) (add "a" 1) #f) (error "none"))\n'
        '(unless (= (add 2 3) 5) (error "no sum"))\n',
    ),
    "exit": (TIMES + "(exit 0)\n", PLUS),
    "exit when called": called("(exit 0)"),
    "exit of a plumber": tampering("(void (plumber-add-flush! (current-plumber) (lambda (h) (exit 0))))\n"),
    "an exit handler": around("(exit-handler (lambda (x) (void)))\n(error-escape-handler void)\n"),
    "a check of its own": around("(define (check-within . all) #t)\n(define (check-equal? . all) #t)\n"),
    "an error of its own": around("(define error2 void)\n(provide (rename-out [error2 error]))\n", PLAIN),
    "a struct that is equal": called(
        "(s 1))\n(struct s (x) #:methods gen:equal+hash [(define (equal-proc a b r) #t) "
        "(define (hash-proc a r) 1) (define (hash2-proc a r) 1)]",
        PLAIN,
    ),
    "a struct for tests": called("(s 1))\n(struct s (x) #:transparent #:property prop:procedure (lambda x 5)"),
    "an escape": called("(abort-current-continuation (default-continuation-prompt-tag) void)", PLAIN),
    "a break": called('(raise (exn:break "x" (current-continuation-marks) (call/ec values)))', PLAIN),
    "several values": called("(values 5 5)", PLAIN),
    "no value": called("(values)", PLAIN),
    "void": called("(void)"),
    "a test of its own": around("(define (test-humaneval) (void))\n"),
    "an answer ahead": tampering(SAYS % "(values #t)", PLAIN),
    "names ahead": tampering(SAYS % '("check-within" "check-equal?" "error" "unless")', PLAIN),
    "an answer that is code": called(
        '(let ([out (open-output-file "/dev/fd/4" #:exists \'append)])\n'
        '  (write-string "#reader racket/base (values 5)" out)\n  (flush-output out)\n  6)',
        PLAIN,
    ),
    "files of the tests": around('(call-with-output-file "tests.rkt" void #:exists \'replace)\n'),
}
