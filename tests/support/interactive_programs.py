"""Tasks with interactors: a hidden number that candidates find by questions."""

from pathlib import Path

from sandboxes import Limits, Task
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from support.requirements import WALL_SECONDS

DATA = Path(__file__).parents[1] / "data"
MARK = "@@ "
# Answers "? number" with "<" or ">=", and decides about "! number".
GUESS = """
import sys
hidden = int(open(sys.argv[1]).read())
for _ in range(20):
    kind, number = input().split()
    if kind == "!":
        sys.stderr.write(f"{number} it is")
        sys.exit(int(number) != hidden)
    print("<" if hidden < int(number) else ">=", flush=True)
sys.stderr.write("too many questions")
sys.exit(1)
"""
CPP_GUESS = """
#include <fstream>
#include <iostream>
int main(int count, char **names) {
    std::ifstream given(names[1]);
    std::ofstream log(names[2]);
    long hidden, number, questions = 0;
    std::string kind;
    if (count != 4 || !(given >> hidden)) return 3;
    while (std::cin >> kind >> number) {
        if (kind == "!") {
            log << questions << std::endl;
            std::cerr << number << " it is";
            return number != hidden;
        }
        if (++questions == 20) { std::cerr << "too many questions"; return 1; }
        std::cout << (hidden < number ? "<" : ">=") << std::endl;
    }
    std::cerr << "no question"; return 2;
}
"""
HONEST = {
    "python": """
low, high = 1, 1000
while low < high:
    middle = (low + high + 1) // 2
    print("?", middle, flush=True)
    if input() == "<":
        high = middle - 1
    else:
        low = middle
print("!", low)
""",
    "cpp": """
#include <iostream>
int main() {
    int low = 1, high = 1000;
    std::string answer;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        std::cout << "? " << middle << std::endl;
        std::cin >> answer;
        if (answer == "<") high = middle - 1; else low = middle;
    }
    std::cout << "! " << low << std::endl;
}
""",
    "java": """
import java.util.Scanner;
public class Main {
    public static void main(String[] arguments) {
        Scanner in = new Scanner(System.in);
        int low = 1, high = 1000;
        while (low < high) {
            int middle = (low + high + 1) / 2;
            System.out.println("? " + middle);
            if (in.next().equals("<")) high = middle - 1; else low = middle;
        }
        System.out.println("! " + low);
    }
}
""",
    "go": """
package main

import "fmt"

func main() {
    low, high := 1, 1000
    for low < high {
        middle := (low + high + 1) / 2
        fmt.Println("?", middle)
        var answer string
        fmt.Scan(&answer)
        if answer == "<" { high = middle - 1 } else { low = middle }
    }
    fmt.Println("!", low)
}
""",
}
HIDDEN = ("1", "777", "1000")


def read_candidates(name):
    """Return {what a candidate does: its source} of a file in DATA."""
    parts = (DATA / name).read_text(encoding="utf-8").removeprefix(MARK).split(f"\n{MARK}")
    return {title: source for title, _, source in (part.partition("\n") for part in parts)}


def interactive(interactor=GUESS, inputs=HIDDEN, **more):
    """Return a reference with an interactor, which is given as its source or as an object."""
    interactor = {"source": interactor} if isinstance(interactor, str) else interactor
    return {"inputs": list(inputs), "interactor": interactor, **more}


def cpp(source=CPP_GUESS, **more):
    """Return an interactor in C++."""
    return {"source": source, "language": "cpp", **more}


def verdicts(pool, reference, candidates, language="python", seconds=WALL_SECONDS, **options):
    """Return the results of candidates, in one worker and in their order."""
    limits = Limits(wall_seconds=seconds)
    batch = ProgramBatch.assemble(
        [Task(reference, candidates, language=language)], TaskOptions(**options), limits, "auto"
    )
    return pool.run_all(batch.programs, 1, on_sandbox_error="exclude")


def judged(pool, interactor, candidate, **options):
    """Return the result of a candidate on one test."""
    [result] = verdicts(pool, interactive(interactor, ["777"]), [candidate], **options)
    return result
