"""Racket. The tests run apart from the candidate, and call its functions with values that are sent as Racket's data."""

from __future__ import annotations

import re

from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.guest.common.named_tests import MAX_MESSAGE_CHARS, REPORT_FILE
from sandboxes.languages.base import Language, Recipe, SeparateRecipe, fixed_build, fixed_run, linked
from sandboxes.languages.comments import LISP_COMMENTS

DRIVER_FILE, RUNNER_FILE = "code_eval_driver.rkt", "code_eval_runner.rkt"

ENTRY_POINT = re.compile(r"\(\s*candidate\s+([^\s()\[\]]+)")
WORD = re.compile(r"[^\s()\[\]{}\"',`;|\\]+")
LANGUAGE_LINE = re.compile(r"\A(?P<before>(?:\s++|;[^\n]*+|#!\s?/[^\n]*+|#\|.*?\|#)*+)#lang[^\n]*", re.DOTALL)
"""The first line of a module, behind comments."""

# A message is a datum, as `write` writes it. `read` makes data of it and runs nothing.
LINK = """\
#lang racket/base
(require racket/set racket/list)
(define-namespace-anchor here)
(define in (open-input-file "/dev/fd/3"))
(define out (open-output-file "/dev/fd/4" #:exists 'append))
(define (problem what) (error (format "a ~a can't be sent to the other process" what)))
(define (encode value)
  (cond
    [(or (number? value) (string? value) (boolean? value) (char? value) (bytes? value)) value]
    [(symbol? value) (list 'symbol value)]
    [(keyword? value) (list 'keyword value)]
    [(void? value) '(void)]
    [(null? value) '()]
    [(list? value) (cons 'list (map encode value))]
    [(pair? value) (list 'pair (encode (car value)) (encode (cdr value)))]
    [(vector? value) (cons 'vector (map encode (vector->list value)))]
    [(box? value) (list 'box (encode (unbox value)))]
    [(hash? value)
     (list* 'hash (cond [(hash-eq? value) 'eq] [(hash-eqv? value) 'eqv] [else 'equal])
            (for/list ([(key each) value]) (list (encode key) (encode each))))]
    [(generic-set? value) (cons 'set (map encode (set->list value)))]
    [(procedure? value) (problem "procedure")]
    [else (problem (if (struct? value) "struct" "value of this kind"))]))
;; Tests may expect an error of the candidate's. One of the link's, which nobody expects, ends them.
(define (encode-all values)
  (with-handlers ([exn:fail? (lambda (error) (say error) (exit 1))]) (map encode values)))
(define (decode value)
  (if (not (pair? value))
      value
      (let ([rest (cdr value)])
        (case (car value)
          [(symbol keyword) (car rest)]
          [(void) (void)]
          [(list) (map decode rest)]
          [(pair) (cons (decode (first rest)) (decode (second rest)))]
          [(vector) (list->vector (map decode rest))]
          [(box) (box (decode (car rest)))]
          [(hash)
           ((case (car rest) [(eq) make-immutable-hasheq] [(eqv) make-immutable-hasheqv] [else make-immutable-hash])
            (for/list ([each (cdr rest)]) (cons (decode (first each)) (decode (second each)))))]
          [(set) (list->set (map decode rest))]
          [else (error "an invalid value")]))))
(define (put message)
  (write message out)
  (newline out)
  (flush-output out))
(define (take)
  (parameterize ([read-accept-reader #f] [read-accept-lang #f] [read-accept-compiled #f] [read-accept-graph #f])
    (read in)))
(define (load-source path)
  (define port (open-input-file path))
  (port-count-lines! port)
  (let loop ([forms '()])
    (define form (read-syntax path port))
    (if (eof-object? form) (reverse forms) (loop (cons form forms)))))
(define (new-space)
  (define space (make-base-empty-namespace))
  ; A set of another instance of this module would be a struct.
  (namespace-attach-module (namespace-anchor->empty-namespace here) 'racket/set space)
  space)
(define (say error)
  (eprintf "error: ~a\\n" (if (exn? error) (exn-message error) error)))
"""

DRIVER = (
    LINK
    + """\
(void (take))
(define space (new-space))
(define exports
  (with-handlers ([exn:break? raise] [(lambda (any) #t) (lambda (error) (say error) (exit 1))])
    (parameterize ([current-namespace space])
      (namespace-require 'racket/base)
      (namespace-require "candidate.rkt")
      (define inner (module->namespace "candidate.rkt"))
      (define-values (provided syntaxes) (module->exports "candidate.rkt"))
      (define defined
        (append (cdr (or (assv 0 (module->indirect-exports "candidate.rkt")) '(0)))
                (map car (cdr (or (assv 0 provided) '(0))))))
      (for/hasheq ([name defined])
        (values name (namespace-variable-value name #t (lambda () #f) inner))))))
(put (for/list ([(name value) exports] #:when (procedure? value)) (symbol->string name)))
(let loop ()
  (define call (take))
  (unless (eof-object? call)
    (define found
      (with-handlers ([exn:break? raise]
                      [(lambda (any) #t)
                       (lambda (error) (if (exn? error) (exn-message error) (format "~a" error)))])
        (call-with-values
         (lambda () (apply (hash-ref exports (string->symbol (first call))) (map decode (second call))))
         list)))
    (put (if (string? found) (list 'problem found) (cons 'values (encode-all found))))
    (loop)))
(exit 0)
"""
)

RUNNER = (
    LINK
    + """\
(define (lost)
  (eprintf "the candidate ended before its tests were done\\n")
  (exit %(lost_status)d))
(define (ask)
  (define answer (take))
  (if (eof-object? answer) (lost) answer))
(define (call name arguments)
  (define message (list name (encode-all arguments)))
  (with-handlers ([exn:fail? (lambda (error) (lost))]) (put message))
  (define answer (ask))
  (if (eq? (car answer) 'values)
      (apply values (map decode (cdr answer)))
      (error (format "~a" (cadr answer)))))
(define report-file (path->complete-path "%(report_file)s"))
(define (one-line text)
  (regexp-replace* #px"\\\\s+" (substring text 0 (min (string-length text) %(max_chars)d)) " "))
(define (report outcome began name message)
  (define seconds (real->decimal-string (/ (max 0.0 (- (current-inexact-milliseconds) began)) 1000) 6))
  (with-output-to-file report-file #:exists 'append
    (lambda () (printf "~a\\t~a\\t~a\\t~a\\n" outcome seconds (one-line name) (one-line message)))))
(define (describe error)
  (cond
    [(not (exn? error)) (format "~a" error)]
    [(check? error)
     (define said
       (for/list ([info (check-infos error)] #:when (memq (info-name info) '(message actual expected)))
         (define value (info-value info))
         (format "~a: ~v" (info-name info) (if (pretty? value) (pretty-value value) value))))
     (apply string-append (add-between said " "))]
    [else (exn-message error)]))
;; The number of tests that have begun and not ended.
(define running 0)
;; Returns a way to run checks, or forms of `test-case`, as an inner one does, with a result of each.
(define (observed inner name-of)
  (lambda (run)
    (define-values (began failure) (values (current-inexact-milliseconds) #f))
    (set! running (+ running 1))
    (begin0
      (inner
       (lambda ()
         (with-handlers ([(lambda (any) #t) (lambda (error) (set! failure (describe error)) (raise error))]) (run))))
      (set! running (- running 1))
      (report (if failure "failed" "passed") began (name-of) (or failure "")))))
(define words '(%(words)s))
(define entry-points '(%(entry_points)s))
(define space (new-space))
(define (from-rackunit name [module 'rackunit])
  (parameterize ([current-namespace space]) (dynamic-require module name)))
(define-values (check? check-infos) (values (from-rackunit 'exn:test:check?) (from-rackunit 'exn:test:check-stack)))
(define-values (info-name info-value) (values (from-rackunit 'check-info-name) (from-rackunit 'check-info-value)))
(define-values (pretty? pretty-value)
  (values (from-rackunit 'pretty-info? 'rackunit/private/check-info)
          (from-rackunit 'pretty-info-value 'rackunit/private/check-info)))
(define current-check-around (from-rackunit 'current-check-around))
(define current-test-case-around (from-rackunit 'current-test-case-around))
(define current-test-name (from-rackunit 'current-test-name))
;; Forms of a submodule are evaluated as the others are.
(define (forms-of form)
  (define parts (syntax->list form))
  (if (and parts (pair? parts) (eq? (syntax-e (car parts)) 'module+))
      (append-map forms-of (cddr parts))
      (list form)))
(define (run-tests)
  (define forms (append-map forms-of (load-source "tests.rkt")))
  (for-each delete-file '("tests.rkt" "%(runner_file)s"))
  (put #t)
  (namespace-require 'racket)
  (for ([name (ask)] #:when (member name words))
    (define symbol (string->symbol name))
    (define is-own (memq symbol (namespace-mapped-symbols space)))
    (when (or (not is-own) (member name entry-points))
      (namespace-set-variable-value! symbol (lambda arguments (call name arguments)) #t)))
  (namespace-require 'rackunit)
  (define number 0)
  (define (name-of-check)
    (set! number (+ 1 number))
    (format "check ~a" number))
  (define (name-of-case) (or (current-test-name) (name-of-check)))
  (current-check-around (observed (current-check-around) name-of-check))
  (current-test-case-around (observed (current-test-case-around) name-of-case))
  (for ([form forms]) (eval (namespace-syntax-introduce form))))
;; Tests may leave without looking at what failed.
(define (leave status)
  (define tests ((from-rackunit 'test-log 'rackunit/log)))
  (define has-no-test (and %(has_rackunit)s (zero? (cdr tests))))
  (define is-success (not (and (exact-integer? status) (<= 1 status 255))))
  (define problem
    (cond [(positive? running) "a test left the program"] [has-no-test "the tests have no test"] [else #f]))
  (when (and is-success problem) (eprintf "error: ~a\\n" problem))
  (exit (cond [(not is-success) status] [(or problem (positive? (car tests))) 1] [else 0])))
(define problem-found
  (with-handlers ([(lambda (any) #t) (lambda (error) (say error) #t)])
    (parameterize ([current-namespace space]
                   [exit-handler (let ([end (exit-handler)])
                                   (lambda (status) (parameterize ([exit-handler end]) (leave status))))])
      (run-tests)
      #f)))
(leave (if problem-found 1 0))
"""
)


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {"candidate.rkt": with_language(candidate), DRIVER_FILE: DRIVER}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process. Functions that the tests do not name are not called."""
    values = {
        "words": as_strings(WORD.findall(tests)),
        "entry_points": as_strings(ENTRY_POINT.findall(tests)),
        "has_rackunit": "#t" if "rackunit" in tests else "#f",
        "lost_status": LOST_STATUS,
        "runner_file": RUNNER_FILE,
        "report_file": REPORT_FILE,
        "max_chars": MAX_MESSAGE_CHARS,
    }
    return {"tests.rkt": LANGUAGE_LINE.sub(r"\g<before>", tests), RUNNER_FILE: RUNNER % values}


def as_strings(words: list[str]) -> str:
    """Return texts of Racket's."""
    return " ".join(f'"{word}"' for word in sorted({*words}))


def with_language(code: str) -> str:
    """Return a module, which begins with its language."""
    return code if LANGUAGE_LINE.match(code) else "#lang racket\n" + code


RACKET = Language(
    name="racket",
    label="Racket",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        linked("racket", DRIVER_FILE),
        # Without mounts of its own, the candidate could put collections into the user's folder.
        linked("racket", "-U", RUNNER_FILE),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.rkt": with_language(candidate)},
        fixed_build(),
        fixed_run("racket", "candidate.rkt"),
    ),
    version=lambda: ("racket", "--version"),
    package="racket",
    image="racket/racket:8.15, with Python",
    highlight="python",
    canary=("#lang racket\n(define (add a b) (+ a b))", "(require rackunit)\n(check-equal? (add 2 3) 5)"),
    comments=LISP_COMMENTS,
    aliases=("rkt",),
    tools=("racket",),
    paths=("/etc/racket",),
)
