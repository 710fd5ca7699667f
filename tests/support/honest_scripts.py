"""Right candidates in languages whose tests run apart, in the shapes that models and benchmarks write.

Each entry maps a shape to (candidate, tests).
"""

from support import (
    attacks_clojure,
    attacks_elixir,
    attacks_lua,
    attacks_octave,
    attacks_perl,
    attacks_php,
    attacks_r,
    attacks_racket,
    attacks_ruby,
)

RUBY = {
    "MultiPL-E": (attacks_ruby.PLUS, attacks_ruby.TESTS),
    "values": (
        "def same(x) = x\n",
        "[1, -2.5, 1e-300, 'é', \"\\xFF\".b, :a, nil, true, {1 => [2], nil => :b}, 1..3, 'a'...'c', 2**80, 3r, "
        "2i].each do |x|\n"
        "  raise x.inspect unless same(x) == x && same(x).class == x.class\nend\n"
        "raise 'nan' unless same(Float::NAN).nan? && same(-0.0).to_s == '-0.0'\n",
    ),
    "arguments by name": (
        "def power(base, by: 2, **more)\n  base**by + more.size\nend\n",
        "raise 'no' unless power(3) == 9 && power(2, by: 3) == 8 && power(2, by: 3, more: 1) == 9\n",
    ),
    "an array that is changed": (
        "def order!(all)\n  all.sort!\n  nil\nend\n",
        "all = [3, 1, 2]\norder!(all)\nraise all.inspect unless all == [1, 2, 3]\n",
    ),
    "an error": (
        "def root(x)\n  raise ArgumentError, 'negative' if x < 0\n  Math.sqrt(x)\nend\n",
        "begin\n  root(-1)\n  raise 'no error'\nrescue ArgumentError => e\n  raise e.message unless e.message == "
        "'negative'\nend\n",
    ),
    "an error of its own": (
        "class Negative < StandardError; end\ndef root(x) = raise(Negative, 'negative')\n",
        "begin\n  root(-1)\n  exit 1\nrescue StandardError => e\n  exit 1 unless e.message == 'Negative: negative'\n"
        "end\n",
    ),
    "a class": (
        "class Stack\n  def initialize(all = []) = @all = all\n  def push(x)\n    @all.push(x)\n    self\n  end\n"
        "  def pop = @all.pop\n  def size = @all.size\n  def self.of(*all) = new(all)\nend\n",
        "require 'test/unit'\nclass TestStack < Test::Unit::TestCase\n  def test_stack\n    stack = Stack.new\n"
        "    stack.push(3).push(4)\n    assert_equal(2, stack.size)\n    assert_equal(4, stack.pop)\n"
        "    assert_equal(2, Stack.of(1, 2).size)\n  end\nend\n",
    ),
    "a constant": ("LIMIT = 5\n" + attacks_ruby.PLUS, "raise 'no' unless add(2, 3) == LIMIT\n"),
    "a module": (
        "module Sums\n  def self.add(a, b) = a + b\nend\n",
        "raise 'no sum' unless Sums.add(2, 3) == 5\n",
    ),
    "output": ("puts 'begins'\n" + attacks_ruby.PLUS, "puts 'tests'\n" + attacks_ruby.TESTS),
    "a main that is guarded": (attacks_ruby.PLUS + "if __FILE__ == $0\n  exit 3\nend\n", attacks_ruby.TESTS),
    "the name of a builtin": (
        "def format(a, b)\n  a + b\nend\n",
        attacks_ruby.TESTS.replace(":add", ":format"),
    ),
    "minitest": (attacks_ruby.PLUS, attacks_ruby.MINITEST),
    "a status of the tests": (attacks_ruby.PLUS, "exit(add(2, 3) == 5 ? 0 : 1)\n"),
    "a whole program": (attacks_ruby.PLUS + attacks_ruby.TESTS, ""),
}
PHP = {
    "MultiPL-E": ("<?php\n" + attacks_php.PLUS, attacks_php.TESTS),
    "functions of extensions": (
        "<?php\nfunction size($s) { return ctype_digit($s) ? 0 : mb_strlen(iconv('UTF-8', 'UTF-8', $s)); }\n",
        "if (size('été') !== 3 || size('12') !== 0) throw new Exception('no');\n",
    ),
    "no opening tag": (attacks_php.PLUS, "<?php\n" + attacks_php.TESTS),
    "a closing tag": ("<?php\n" + attacks_php.PLUS + "?>\n\n", attacks_php.TESTS),
    "values": (
        "<?php\nfunction same($x) { return $x; }\n",
        "foreach ([1, 2.0, 'é', \"\\xff\", null, true, ['a' => 1, 5 => [2]], -0.0, 1e300, PHP_INT_MAX, (object) ['a' "
        "=> 1]] as $x)"
        " if (same($x) != $x || gettype(same($x)) !== gettype($x)) throw new Exception(json_encode($x));\n"
        "if (!is_nan(same(NAN))) throw new Exception('nan');\n",
    ),
    "arguments by name": (
        "<?php\nfunction power($base, $by = 2, ...$more) { return $base ** $by + count($more); }\n",
        "if (power(3) !== 9 || power(by: 3, base: 2) !== 8 || power(2, 3, 1) !== 9) throw new Exception('no');\n",
    ),
    "an array that is changed": (
        "<?php\nfunction order(array &$all, bool $down = false): void { $down ? rsort($all) : sort($all); }\n",
        "$all = [3, 1, 2]; order($all); if ($all !== [1, 2, 3]) throw new Exception('up');\n"
        "order($all, true); if ($all !== [3, 2, 1]) throw new Exception('down');\n",
    ),
    "strict types": ("<?php\ndeclare(strict_types=1);\n" + attacks_php.PLUS, attacks_php.TESTS),
    "types": ("<?php\nfunction add(int $a, int $b): int { return $a + $b; }\n", attacks_php.TESTS),
    "a generator": (
        "<?php\nfunction up_to(int $n) { for ($i = 0; $i < $n; $i++) yield $i; }\n",
        "$all = []; foreach (up_to(3) as $each) $all[] = $each; if ($all !== [0, 1, 2]) throw new Exception('no');\n",
    ),
    "an error": (
        "<?php\nfunction root($x) { if ($x < 0) throw new InvalidArgumentException('negative'); return sqrt($x); }\n",
        "try { root(-1); exit(1); } catch (InvalidArgumentException $e) { if ($e->getMessage() !== 'negative') "
        "exit(1); }\n",
    ),
    "an error of its own": (
        "<?php\nclass Negative extends DomainException {}\nfunction root($x) { throw new Negative('negative'); }\n",
        "try { root(-1); exit(1); } catch (DomainException $e) { if ($e->getMessage() !== 'Negative: negative') "
        "exit(1); }\n",
    ),
    "another case": ("<?php\nfunction hasSum($a, $b) { return $a + $b; }\n", "if (hassum(2, 3) !== 5) exit(1);\n"),
    "output": ("<?php\necho 'begins';\n" + attacks_php.PLUS, "echo 'tests';\n" + attacks_php.TESTS),
    "static variables": (
        "<?php\nfunction count_up() { static $n = 0; return ++$n; }\n",
        "count_up(); if (count_up() !== 2) throw new Exception('no');\n",
    ),
    "a whole program": ("<?php\n" + attacks_php.PLUS + attacks_php.TESTS, ""),
}
LUA = {
    "MultiPL-E": (attacks_lua.PLUS, attacks_lua.TESTS),
    "values": (
        "function same(x) return x end\n",
        "for _, x in ipairs({1, 2.5, 'é\\0;{', true, -0.0, 1e300, 1 / 0, math.mininteger}) do\n"
        "  assert(same(x) == x and math.type(same(x)) == math.type(x))\nend\n"
        "local nested = same({1, {2, a = 'b'}, [3.5] = {}})\n"
        "assert(nested[2].a == 'b' and #nested[3.5] == 0 and same(nil) == nil and same(0 / 0) ~= same(0 / 0))\n",
    ),
    "several results": (
        "function ends(all) return all[1], nil, all[#all] end\n",
        "local a, b, c = ends({1, 2, 3})\nassert(a == 1 and b == nil and c == 3 and select('#', ends({1})) == 3)\n",
    ),
    "a table that is changed": (
        "function order(all) table.sort(all) all.sorted = true all.raw = nil end\n",
        "local all = {3, 1, 2, raw = true}\norder(all)\nassert(all[1] == 1 and all[3] == 3 and all.sorted and all.raw "
        "== nil)\n",
    ),
    "an error": (
        "function root(x) if x < 0 then error({code = 3}) end return x ^ 0.5 end\n",
        "local done, problem = pcall(root, -1)\nassert(not done and problem.code == 3)\n",
    ),
    "a global value": ("LIMIT = {5}\n" + attacks_lua.PLUS, "assert(add(2, 3) == LIMIT[1])\n"),
    "local helpers": (
        "local function sum(a, b) return a + b end\nfunction add(...) return sum(...) end\n",
        attacks_lua.TESTS,
    ),
    "the name of a builtin": (
        "function select(a, b) return a + b end\n",
        attacks_lua.TESTS.replace("candidate = add", "candidate = select"),
    ),
    "tests that nobody runs": (attacks_lua.PLUS, attacks_lua.TESTS.replace("os.exit(lu.LuaUnit.run())", "")),
    "output": ("print('begins') io.write('more')\n" + attacks_lua.PLUS, "print('tests')\n" + attacks_lua.TESTS),
    "an end of the file": (attacks_lua.PLUS + "-- the end", attacks_lua.TESTS),
    "a whole program": (attacks_lua.PLUS + attacks_lua.TESTS, ""),
}
PERL = {
    "MultiPL-E": (attacks_perl.PLUS, attacks_perl.TESTS),
    "names of builtins": (
        "sub split { return [CORE::split(/,/, $_[0])] }\nsub last { return $_[0][-1] }\n",
        "my $candidate = \\&split;\nmy $other = \\&last;\nmy ($first) = split(/;/, 'a;b');\n"
        "die 'no' unless $other->($candidate->('a,b')) eq 'b' && $first eq 'a' && &split('1,2')->[1] == 2;\n",
    ),
    "values": (
        "sub same { return $_[0] }\n",
        'use Test::Deep;\nfor my $x (1, -2.5, "a;[{", "\\x{e9}\\x{263a}", "\\xff", undef, [1, [2]], {a => {b => '
        "undef}}, 1e300) {\n"
        "    die $x unless eq_deeply(same($x), $x);\n}\ndie unless same(0.1 + 0.2) == 0.1 + 0.2;\ndie if (same(5) | "
        "2) ne '7';\n",
    ),
    "a list": (
        "sub ends { return @_[0, -1] }\n",
        'my @ends = ends(1, 2, 3);\ndie "@ends" unless "@ends" eq \'1 3\';\n',
    ),
    "its context": (
        "sub wants { return wantarray ? 'list' : 'scalar' }\n",
        "my ($list) = wants();\nmy $scalar = wants();\ndie unless $list eq 'list' && $scalar eq 'scalar';\n",
    ),
    "an array that is changed": (
        "sub order { my $all = shift; @$all = sort { $a <=> $b } @$all; return; }\n",
        'my $all = [3, 1, 2];\norder($all);\ndie "@$all" unless "@$all" eq \'1 2 3\';\n',
    ),
    "an error": (
        'sub root { die "negative\\n" if $_[0] < 0 }\n',
        'eval { root(-1) };\ndie unless $@ eq "negative\\n";\n',
    ),
    "strict": ("use strict;\nuse warnings;\n" + attacks_perl.PLUS + "1;\n", "use strict;\n" + attacks_perl.TESTS),
    "Test::More": (attacks_perl.PLUS, attacks_perl.MORE),
    "a plan": (attacks_perl.PLUS, "use Test::More tests => 1;\nis(add(2, 3), 5);\n"),
    "output": ("print 'begins';\n" + attacks_perl.PLUS, "print 'tests';\n" + attacks_perl.TESTS),
    "a false value at its end": (attacks_perl.PLUS + "0;\n", attacks_perl.TESTS),
    "a whole program": (attacks_perl.PLUS + attacks_perl.TESTS, ""),
}
R = {
    "MultiPL-E": (attacks_r.PLUS, attacks_r.TESTS),
    "an equality": (attacks_r.PLUS, attacks_r.EQUAL),
    "values": (
        "same <- function(x) x\n",
        "all <- list(1, 2.5, 1L, 'é\\n\"', TRUE, NA, c(a = 1, b = 2), list(1, 'a', NULL), list(a = 1, b = list(2)), "
        "0.1 + 0.2,\n"
        "  Inf, -Inf, NaN, integer(0), matrix(1:4, 2), c('a', NA), -1, -5:3, 1i, character(0), list(), NA_character_)\n"
        "for (x in all) if (!identical(same(x), x)) stop(deparse(x))\nstopifnot(is.null(same(NULL)))\n",
    ),
    "arguments by name": (
        "power <- function(base, by = 2) base ^ by\n",
        "stopifnot(power(3) == 9, power(by = 3, base = 2) == 8)\n",
    ),
    "a value": ("LIMIT <- c(5)\n" + attacks_r.PLUS, "stopifnot(add(2, 3) == LIMIT)\n"),
    "an error": (
        "root <- function(x) if (x < 0) stop('negative') else sqrt(x)\n",
        "said <- tryCatch(root(-1), error = conditionMessage)\nstopifnot(said == 'negative')\n",
    ),
    "the name of a builtin": (
        "rank <- function(a, b) a + b\n",
        attacks_r.TESTS.replace("candidate <- add", "candidate <- rank"),
    ),
    "a function of functions": ("add <- function(...) Reduce(`+`, list(...))\n", attacks_r.TESTS),
    "output": ("print('begins')\ncat(1)\n" + attacks_r.PLUS, "print('tests')\n" + attacks_r.TESTS),
    "a warning": ("warning('old')\nadd <- function(a, b) { warning('odd'); a + b }\n", attacks_r.TESTS),
    "a whole program": (attacks_r.PLUS + attacks_r.TESTS, ""),
}
OCTAVE = {
    "MultiPL-E": (attacks_octave.PLUS, attacks_octave.TESTS),
    "an equality": (attacks_octave.PLUS, attacks_octave.EQUAL),
    "values": (
        "function x = same(x)\nend\n",
        "all = {1, -2.5, 1e-300, NaN, Inf, -Inf, -0, single(1.5), int8(-3), uint8(200), int16(-300), uint16(6e4), "
        "int32(7), uint32(4e9), intmax('int64'), intmin('int64'), intmax('uint64'), true, [true, false], 1 + 2i, "
        "complex(1, 0), single(2i), 'a', 'abc', '', \"\\0\\n\", 'é', ['ab'; 'cd'], char(zeros(0, 3)), [1, 2; 3, 4], "
        "zeros(2, 3, 4), zeros(0, 3), zeros(1, 0, 'int8'), [], int8([1, 2; 3, 4]), 1:5, 0:-1, eye(3), "
        "eye(3)([2, 1, 3], :), sparse([1, 0; 0, 2]), sparse([0, 0, 1]), sparse([true, false]), sparse(3, 4), "
        "sparse([1i, 0]), {}, cell(2, 0), {1}, {1, 2; 3, 4}, {1, 2, 3, 4, 5}, {'a', 'bc', '', 'd'}, "
        "{'a'; 'b'; 'c'; 'd'}, {'', zeros(1, 0), 'x', 1, {}}, {'a', char(zeros(1, 0)), 'b', 'c'}, "
        "num2cell(ones(2, 2, 2)), {{1}, {2, 'x', {}}}, {single(1), 1, 2, 3, 4}, {sparse(1), 1, 2, 3}, struct(), "
        "struct('a', 1), struct('a', {1, 2, 3}), struct('a', {}), struct('a', {{1, 2}}), "
        "struct('a', {1; 2}, 'b', 'x'), repmat(struct('q', 2), [2, 2, 2]), repmat(struct(), 2, 3), "
        "struct('a', struct('b', {1, 2}))};\n"
        "for k = 1:numel(all)\n  x = all{k};\n  y = same(x);\n  assert(class(y), class(x));\n"
        "  assert(size(y), size(x));\n  assert(issparse(y), issparse(x));\n  assert(isreal(y), isreal(x));\n"
        "  assert(isequaln(x, y));\n  if iscell(x)\n    assert(cellfun(@class, y, 'UniformOutput', false), "
        "cellfun(@class, x, 'UniformOutput', false));\n"
        "    assert(cellfun(@size, y, 'UniformOutput', false), cellfun(@size, x, 'UniformOutput', false));\n"
        "  end\nend\n"
        "assert(1 / same(-0), -Inf);\nassert(isna(same(NA)));\n"
        "assert(fieldnames(same(struct('b', 1, 'a', 2))), {'b'; 'a'});\n",
    ),
    "several results": (
        "function [total, product] = both(a, b)\n  total = a + b;\n  if nargout > 1\n    product = a * b;\n"
        "  end\nend\n",
        "[a, b] = both(2, 3);\nassert([a, b], [5, 6]);\n[~, c] = both(2, 4);\nassert(c, 8);\n"
        "assert(cellfun(@both, {1, 2}, {3, 4}), [4, 6]);\n[~, d] = arrayfun(@(x) both(x, 2), [1, 2]);\n"
        "assert(d, [2, 4]);\nboth(1, 1);\nassert(ans, 2);\n",
    ),
    "results that are missing": (
        "function show(x)\n  disp(x);\nend\nfunction [a, b] = part(x)\n  a = x;\nend\n",
        "function said = message(f)\n  said = '';\n  try\n    x = f();\n  catch e\n    said = e.message;\n  end\nend\n"
        "show(3);\nassert(message(@() show(3)), 'show: function called with too many outputs');\n"
        "try\n  [a, b] = part(1);\n  error('none');\ncatch e\n  assert(strncmp(e.message, \"'b' undefined\", 13));\n"
        "  assert(e.identifier, 'Octave:undefined-function');\nend\n"
        "assert(message(@() part(1, 2)), 'part: function called with too many inputs');\n",
    ),
    "an error": (
        "function res = root(x)\n  if x < 0\n    error('Root:negative', 'negative: %d', x);\n  end\n"
        "  res = sqrt(x);\nend\n",
        "try\n  root(-1);\n  error('none');\ncatch e\n  assert(e.message, 'negative: -1');\n"
        "  assert(e.identifier, 'Root:negative');\nend\nassert(root(4), 2);\n",
    ),
    "an error of a struct": (
        "function res = root(x)\n  error(struct('message', 'negative 100%d', 'identifier', 'Root:negative'));\nend\n",
        "try\n  root(-1);\n  error('none');\ncatch e\n  assert(e.message, 'negative 100%d');\nend\n",
    ),
    "a value": ("LIMIT = int8(5);\nadd = @(a, b) a + b;\n", "assert(add(2, 3), double(LIMIT));\n"),
    "a map": (
        "function map = count(words)\n  map = containers.Map('KeyType', 'char', 'ValueType', 'double');\n"
        "  for k = 1:numel(words)\n    if ! isKey(map, words{k})\n      map(words{k}) = 0;\n    end\n"
        "    map(words{k}) += 1;\n  end\nend\n",
        "map = count({'a', 'b', 'a'});\nassert(keys(map), {'a', 'b'});\nassert(map('a'), 2);\n"
        "assert(isequal(map, containers.Map({'a', 'b'}, [2, 1])));\n",
    ),
    "a map that is changed": (
        "function change(map)\n  map('new') = 2;\n  remove(map, 'old');\nend\n",
        "map = containers.Map('old', 1);\nchange(map);\nassert(keys(map), {'new'});\nassert(map('new'), 2);\n",
    ),
    "the name of a function of Octave's": (
        "function res = mean(a, b)\n  res = a + b;\nend\n",
        attacks_octave.TESTS.replace("@add", "@mean") + "assert(mean([1, 3]), 2);\n",
    ),
    "names that the driver uses": (
        "function res = all(x)\n  res = 7;\nend\nfunction res = find(x)\n  res = 7;\nend\n"
        "function res = prod(x)\n  res = {x, 1, 2, 3, 4, single(5)};\nend\n",
        "candidate = @prod;\nassert(candidate({'a', 'b', 'c', 'd'}), {{'a', 'b', 'c', 'd'}, 1, 2, 3, 4, single(5)});\n",
    ),
    "a function that is not ended": ("function res = add(a, b)\n  res = a + b;\n", attacks_octave.EQUAL),
    "functions that are not ended": (
        "% Sums.\nfunction res = add(a, b)\n  res = sub(a, -b);\n\nfunction res = sub(a, b)\n  res = a - b;\n",
        attacks_octave.EQUAL,
    ),
    "a comment at its beginning": ("%{\nfunction no\n%}\n" + attacks_octave.PLUS, attacks_octave.TESTS),
    "a script that clears": (
        "clear all; close all; clc; more off; fclose all;\nfunction res = add(a, b)\n  res = a + b;\nend\nreturn\n",
        "clear all;\nclc;\n" + attacks_octave.EQUAL,
    ),
    "a function of its tests": (
        attacks_octave.PLUS + "function check(x)\n  error('no');\nend\n",
        "function check(x)\n  assert(x, 5);\nend\ncheck(add(2, 3));\n",
    ),
    "options": (
        "function x = root(f)\n  x = fzero(f, [0, 2], optimset('TolX', 1e-12));\nend\n"
        "function x = two()\n  x = root(@(y) y ^ 2 - 2);\nend\n",
        "assert(two(), sqrt(2), 1e-9);\n",
    ),
    "output": ("disp('begins')\nx = 1\n" + attacks_octave.PLUS, "y = 1\n" + attacks_octave.TESTS),
    "a warning": ("warning('old')\n" + attacks_octave.PLUS, attacks_octave.TESTS),
    "a whole program": (attacks_octave.PLUS + attacks_octave.EQUAL, ""),
}
RACKET = {
    "MultiPL-E": (attacks_racket.PLUS, attacks_racket.TESTS),
    "values": (
        "#lang racket\n(define (same x) x)\n",
        '(for ([x (list 1 2.5 1/3 "é" #t #\\a \'a \'(1 (2) . 3) (vector 1 2) (hash "a" 1) (hasheq \'b 2) (set 1 2) '
        "+inf.0 (void) "
        '\'() (expt 2 80) #"b" (box 1) \'#:k)])\n  (unless (equal? (same x) x) (error (format "~a" x))))\n',
    ),
    "comments before the language": ("#!/usr/bin/env racket\n; Add.\n" + attacks_racket.PLUS, attacks_racket.TESTS),
    "comments before the tests' language": (
        attacks_racket.PLUS,
        "#| Tests |#\n; too\n#lang racket\n" + attacks_racket.TESTS,
    ),
    "another language": (attacks_racket.PLUS.replace("racket", "racket/base"), attacks_racket.TESTS),
    "exports": (attacks_racket.PLUS + "(provide add)\n", "#lang racket\n" + attacks_racket.TESTS),
    "no language": (attacks_racket.PLUS.replace("#lang racket\n", ""), attacks_racket.TESTS),
    "several results": (
        "#lang racket\n(define (ends all) (values (first all) (last all)))\n",
        '(define-values (a b) (ends \'(1 2 3)))\n(unless (= (+ a b) 4) (error "no"))\n',
    ),
    "an error": (
        '#lang racket\n(define (root x) (error "negative"))\n',
        '(require rackunit)\n(check-exn #rx"negative" (lambda () (root -1)))\n',
    ),
    "output": (attacks_racket.PLUS + '(display "begins")\n', '(display "tests")\n' + attacks_racket.TESTS),
    "a whole program": (attacks_racket.PLUS + attacks_racket.TESTS, ""),
}
ELIXIR = {
    "MultiPL-E": (attacks_elixir.PLUS, attacks_elixir.TESTS),
    "values": (
        "defmodule S do\n  def same(x), do: x\nend\n",
        'for x <- [1, 2.5, "é", true, nil, :a, \'abc\', [1, [2]], {1, 2}, %{:a => 1, "b" => [2]}, MapSet.new([1, '
        "2]), 1..3,\n"
        "          <<255>>, 12345678901234567890, [a: 1], ~D[2024-01-02]] do\n"
        "  unless S.same(x) === x, do: raise inspect(x)\nend\n",
    ),
    "default arguments": (
        "defmodule S do\n  def power(base, by \\\\ 2), do: base ** by\nend\n",
        "9 = S.power(3)\n8 = S.power(2, 3)\n",
    ),
    "several modules": (
        "defmodule Helper do\n  def sum(a, b), do: a + b\nend\n"
        "defmodule HumanEval do\n  defdelegate add(a, b), to: Helper, as: :sum\nend\n",
        attacks_elixir.TESTS,
    ),
    "an error": (
        'defmodule S do\n  def root(_), do: raise ArgumentError, "negative"\nend\n',
        'ExUnit.start()\ndefmodule T do\n  use ExUnit.Case\n  test "root" do\n'
        '    assert_raise ArgumentError, "negative", fn -> S.root(-1) end\n  end\nend\n',
    ),
    "output": ("IO.puts(1)\n" + attacks_elixir.PLUS, "IO.puts(2)\n" + attacks_elixir.TESTS),
    "a whole program": (attacks_elixir.PLUS + attacks_elixir.TESTS, ""),
}
CLOJURE = {
    "MultiPL-E": (attacks_clojure.PLUS, attacks_clojure.TESTS),
    "values": (
        "(defn same [x] x)\n",
        '(doseq [x [1 2.5 "é" true nil :a \'b \\c [1 [2]] \'(1 2) {:a 1 "b" [2]} #{1 2} 1/3 1N 1.5M ##Inf (range '
        "3)]]\n"
        "  (when-not (= (same x) x) (throw (Exception. (pr-str x)))))\n",
    ),
    "a namespace": (
        "(ns human.eval (:require [clojure.string :as text]))\n" + attacks_clojure.PLUS,
        attacks_clojure.TESTS,
    ),
    "a value": ("(def limit 5)\n" + attacks_clojure.PLUS, '(when-not (= (add 2 3) limit) (throw (Exception. "no")))\n'),
    "an error": (
        '(defn root [x] (throw (IllegalArgumentException. "negative")))\n',
        "(require '[clojure.test :refer :all])\n(deftest roots (is (thrown? IllegalArgumentException (root -1))))\n",
    ),
    "the name of a builtin": (
        "(defn rand [a b] (+ a b))\n",
        attacks_clojure.TESTS.replace("candidate add", "candidate rand"),
    ),
    "output": ("(println 1)\n" + attacks_clojure.PLUS, "(println 2)\n" + attacks_clojure.TESTS),
    "a whole program": (attacks_clojure.PLUS + attacks_clojure.TESTS, ""),
}
