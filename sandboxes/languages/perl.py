"""Perl. The tests run apart from the candidate, and call its functions with values that are sent as tagged text."""

from __future__ import annotations

import re

from sandboxes.guest.common.interactors import LOST_STATUS, UNUSABLE_STATUS
from sandboxes.guest.common.named_tests import MAX_MESSAGE_CHARS, REPORT_FILE
from sandboxes.languages.base import Language, Recipe, SeparateRecipe, fixed_build, fixed_run, linked
from sandboxes.languages.comments import HASH_COMMENTS

DRIVER_FILE, RUNNER_FILE = "code_eval_driver.pl", "code_eval_runner.pl"
WORD = re.compile(r"[A-Za-z_]\w*")

# A value is a letter and its text. A message is the number of its bytes, in 12 columns, and a value.
LINK = """\
package main;
sub CodeEval::run_text { eval $_[0] }
package CodeEval;
use strict;
use warnings;
use B ();
use Scalar::Util ();

open(my $input, '<&=', 3) or die "error: $!";
open(my $output, '>&=', 4) or die "error: $!";
binmode $_ for $input, $output;

sub encode {
    my ($value) = @_;
    return 'N' unless defined $value;
    my $kind = ref $value;
    if (!$kind) {
        my $flags = B::svref_2object(\\$value)->FLAGS;
        if (!($flags & B::SVf_POK)) {
            return "I$value;" if $flags & B::SVf_IOK;
            return sprintf 'D%%.17g;', $value if $flags & B::SVf_NOK;
        }
        my ($tag, $text) = ('S', "$value");
        if (utf8::is_utf8($text)) { $tag = 'U'; utf8::encode($text) }
        return $tag . length($text) . ';' . $text;
    }
    die "an object of $kind can't be sent to the other process\\n" if Scalar::Util::blessed($value);
    return '[' . join('', map { encode($_) } @$value) . ']' if $kind eq 'ARRAY';
    return '{' . join('', map { encode("$_") . encode($value->{$_}) } sort keys %%$value) . '}' if $kind eq 'HASH';
    die "a reference to $kind can't be sent to the other process\\n";
}

sub decode {
    my ($text) = @_;
    if ($$text =~ /\\G\\[/gc) {
        my @all;
        push @all, decode($text) until $$text =~ /\\G\\]/gc;
        return \\@all;
    }
    if ($$text =~ /\\G\\{/gc) {
        my %%all;
        until ($$text =~ /\\G\\}/gc) { my $key = decode($text); $all{$key} = decode($text) }
        return \\%%all;
    }
    return undef if $$text =~ /\\GN/gc;
    $$text =~ /\\G([IDSU])([^;]*);/gc or die "an invalid value\\n";
    my ($tag, $said) = ($1, $2);
    return $said + 0 if $tag eq 'I' || $tag eq 'D';
    my $place = pos $$text;
    my $part = substr $$text, $place, $said;
    pos($$text) = $place + $said;
    utf8::decode($part) if $tag eq 'U';
    return $part;
}

# Tests may expect an error of the candidate's. One of the link's, which nobody expects, ends them.
sub unsent {
    print STDERR "error: $_[0]";
    require POSIX;
    POSIX::_exit(1);
}

sub put {
    my $text = eval { encode($_[0]) } // unsent($@);
    local $SIG{PIPE} = 'IGNORE';
    $text = sprintf('%%12d', length $text) . $text;
    my $done = 0;
    while ($done < length $text) { $done += syswrite($output, $text, length($text) - $done, $done) || return }
    return 1;
}

sub receive {
    my ($size) = @_;
    my $text = '';
    while (length $text < $size) { sysread($input, $text, $size - length $text, length $text) or return }
    return $text;
}

sub take {
    my $size = receive(12);
    return unless defined $size && $size =~ /\\A *\\d+\\z/;
    my $text = receive($size) // return;
    pos($text) = 0;
    return decode(\\$text);
}
"""

DRIVER = (
    LINK
    + """\
take();
my %%before = map { $_ => 1 } keys %%main::;
{
    package main;
    no strict;
    no warnings;
    local ($@, $!);
    my $done = do './candidate.pl';
    if ($@) { print STDERR "error: $@"; exit 1 }
}
{
    no strict 'refs';
    put([grep { !$before{$_} && /\\A\\w+\\z/ && defined &{"main::$_"} } sort keys %%main::]);
}
while (my $call = take()) {
    my ($name, $wants, $arguments) = @$call;
    my @values = eval {
        no strict 'refs';
        my $sub = \\&{"main::$name"};
        $wants ? $sub->(@$arguments) : scalar $sub->(@$arguments);
    };
    my $problem = $@;
    put($problem ? [0, "$problem"] : [1, \\@values, $arguments]);
}
exit 0;
"""
)

RUNNER = (
    LINK
    + """\
use Cwd ();

# Test::Builder tells of each test by an event, and what is wrong with it by the next ones.
my ($ran, $failed, @pending) = (0, 0);
my $file = Cwd::getcwd() . '/%(report_file)s';

sub settle {
    return unless @pending;
    s/\\s+/ /g, s/\\A | \\z//g, $_ = substr $_, 0, %(max_chars)d for @pending;
    open(my $report, '>>:encoding(UTF-8)', $file) or die "error: $!";
    print $report join("\\t", @pending), "\\n";
    close $report;
    @pending = ();
}

sub watch {
    require Time::HiRes;
    require Test::Builder;
    Test::Builder->new;
    my $last = Time::HiRes::time();
    Test2::API::test2_stack()->top->listen(sub {
        my ($hub, $event) = @_;
        if (@pending && $event->isa('Test2::Event::Diag')) {
            my $said = $event->message =~ s/^# ?//gmr;
            $pending[3] .= " $said" unless $said =~ /\\ALooks like |\\ATests were run /;
        }
        return unless $event->isa('Test2::Event::Ok');
        settle();
        my $seconds = sprintf('%%.6f', Time::HiRes::time() - $last);
        $last = Time::HiRes::time();
        return if $event->isa('Test2::Event::Skip') || defined $event->todo;
        $ran++;
        $failed++ unless $event->pass;
        @pending = ($event->pass ? 'passed' : 'failed', $seconds, $event->name // "test $ran", '');
        settle() if $event->pass;
    });
}

sub lost {
    settle();
    print STDERR "the candidate ended before its tests were done\\n";
    require POSIX;
    POSIX::_exit(%(lost_status)d);
}

# This comes after the end of Test::Builder, which sets the status.
END {
    settle();
    if (!$? && !$ran && ($INC{'Test/More.pm'} || $INC{'Test/Simple.pm'})) {
        print STDERR "error: the tests have no test\\n";
        $? = 1;
    }
    $? ||= 1 if $failed;
}

sub call {
    my ($name, $wants, $arguments) = @_;
    put([$name, $wants ? 1 : 0, $arguments]) or lost();
    my $answer = take() or lost();
    die $answer->[1] . ($answer->[1] =~ /\\n\\z/ ? '' : "\\n") unless $answer->[0];
    # Functions may change what the references that they are given refer to.
    for my $place (0 .. $#$arguments) {
        my ($own, $now) = ($arguments->[$place], $answer->[2][$place]);
        next if !ref $own || ref $own ne ref $now || encode($own) eq encode($now);
        if (ref $own eq 'ARRAY') { @$own = @$now } else { %%$own = %%$now }
    }
    my @values = @{$answer->[1]};
    return $wants ? @values : $values[-1];
}

my $tests = do { local (@ARGV, $/) = 'tests.pl'; <> };
my $data = $tests =~ s/^__(?:DATA|END)__\\r?\\n(.*)\\z//ms ? $1 : '';
{ no warnings 'once'; open(main::DATA, '<', \\$data) or die "error: $!" }
unlink 'tests.pl', $0;
for my $module ($tests =~ /^\\s*use\\s+([A-Z]\\w*(?:::\\w+)*)(?:\\s+(?:[\\d.]+|qw\\s*\\W[^;]*|['"(][^;]*))?;/mg) {
    (my $file = "$module.pm") =~ s{::}{/}g;
    next if grep { -e "$_/$file" } @INC;
    print STDERR "the tests use $module, which is not installed; install it\\n";
    exit %(unusable_status)d;
}
put(1);
my %%words = map { $_ => 1 } qw(%(words)s);
{
    no strict 'refs';
    for my $name (@{take() || lost()}) {
        # Perl calls functions like BEGIN itself.
        next if !$words{$name} || $name =~ /\\A[A-Z]+\\z/;
        my $stub = sub { call($name, wantarray, [@_]) };
        # From another package, a function with the name of a builtin would replace it in the tests.
        package main;
        *{"main::$name"} = $stub;
    }
}
watch() if $tests =~ /\\bTest::(?:More|Simple)\\b/;
run_text(qq(#line 1 "tests.pl"\\n$tests));
if ($@) { print STDERR "error: $@"; exit 1 }
exit 0;
"""
)


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {"candidate.pl": candidate, DRIVER_FILE: DRIVER % {}}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process. Functions that the tests do not name are not called."""
    values = {
        "words": " ".join(sorted({*WORD.findall(tests)})),
        "lost_status": LOST_STATUS,
        "unusable_status": UNUSABLE_STATUS,
        "report_file": REPORT_FILE,
        "max_chars": MAX_MESSAGE_CHARS,
    }
    return {"tests.pl": tests, RUNNER_FILE: RUNNER % values}


PERL = Language(
    name="perl",
    label="Perl",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        linked("perl", DRIVER_FILE),
        linked("perl", RUNNER_FILE),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.pl": candidate}, fixed_build(), fixed_run("perl", "candidate.pl")
    ),
    version=lambda: ("perl", "--version"),
    package="perl",
    image="perl:5.38, with Python",
    highlight="shell",
    canary=("sub add { $_[0] + $_[1] }", "use Test::Deep; exit 1 unless eq_deeply(add(2, 3), 5);"),
    comments=HASH_COMMENTS,
    aliases=("pl",),
    tools=("perl",),
)
