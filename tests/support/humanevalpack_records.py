"""Records of our own in the shape of HumanEvalPack, one for each language. In all of them the answer is a sum."""


def record(language, prompt, solution, buggy, test, declaration="", **fields):
    """Return a record with the fields that all languages have."""
    return {
        "task_id": f"{language}/0",
        "prompt": prompt,
        "declaration": declaration or prompt,
        "canonical_solution": solution,
        "buggy_solution": buggy,
        "test": test,
        **fields,
    }


USES = "use rand::Rng;\nuse regex::Regex;\nuse md5;\n"
RUST_TEST = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_add() {
        assert_eq!(add(2, 3), 5);
    }
}
"""
RECORDS = {
    "python": record(
        "Python",
        'def add(a: int, b: int) -> int:\n    """Add."""\n',
        "    return a + b\n",
        "    return a - b\n",
        "def check(add):\n    assert add(2, 3) == 5\n\ncheck(add)\n",
    ),
    "js": record(
        "JavaScript",
        "/* Add. */\nconst add = (a, b) => {\n",
        "  return a + b;\n}\n\n",
        "  return a - b;\n}\n\n",
        "const testAdd = () => {\n  console.assert(add(2, 3) === 5)\n}\n\ntestAdd()\n",
    ),
    "java": record(
        "Java",
        "import java.util.*;\n\nclass Solution {\n    /** Add. */\n    public int add(int a, int b) {\n",
        "        return a + b;\n    }\n}",
        "        return a - b;\n    }\n}",
        "public class Main {\n    public static void main(String[] args) {\n        Solution s = new Solution();\n"
        "        List<Boolean> correct = Arrays.asList(s.add(2, 3) == 5);\n"
        "        if (correct.contains(false)) {\n            throw new AssertionError();\n        }\n    }\n}\n",
    ),
    "go": record(
        "Go",
        'import (\n    "math"\n)\n\n// Add.\nfunc Add(a int, b int) int {\n',
        "    return a + int(math.Abs(float64(b)))\n}\n\n",
        "    return a - b\n}\n\n",
        "func TestAdd(t *testing.T) {\n    if Add(2, 3) != 5 {\n        t.Fatal()\n    }\n}\n",
        "\nfunc Add(a int, b int) int {\n",
        **{"import": 'import (\n    "math"\n)\n', "test_setup": 'package main\n\nimport (\n    "testing"\n)\n'},
    ),
    "cpp": record(
        "CPP",
        "/*\nAdd.\n*/\n#include<stdio.h>\nusing namespace std;\nint add(int a, int b){\n",
        "    return a + b;\n}\n\n",
        "    return a - b;\n}\n\n",
        "#undef NDEBUG\n#include<assert.h>\nint main(){\n    assert (add(2, 3) == 5);\n}\n",
    ),
    "rust": record(
        "Rust",
        f"fn main(){{}}\n\n{USES}\n/*\n Add.\n*/\nfn add(a: i32, b: i32) -> i32{{\n",
        "    a + b\n}\n",
        "    a - b\n}\n",
        RUST_TEST,
        f"\n{USES}\nfn add(a: i32, b: i32) -> i32{{\n",
    ),
}
