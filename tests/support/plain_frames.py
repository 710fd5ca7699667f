"""Tests in compiled languages with a place for statements, for `plain_texts` and the tests of plain tests."""

HEAD = "#undef NDEBUG\n#include<assert.h>\n"
SAME = (
    "bool issame(vector<KIND> a,vector<KIND>b){\n    if (a.size()!=b.size()) return false;\n"
    "    for (int i=0;i<a.size();i++)\n    {\n        if (COMPARED) return false;\n    }\n    return true;\n}\n"
)
NEAR = SAME.replace("KIND", "float").replace("COMPARED", "abs(a[i]-b[i])>1e-4")
GO = "func TestAdd(t *testing.T) {\n    assert := assert.New(t)\n    BODY\n}\n"
JAVA = "public class Main {\n    public static void main(String[] args) {\n        Solution s = new Solution();\n" + (
    "        List<Boolean> correct = Arrays.asList(\n            BODY\n        );\n"
    "        if (correct.contains(false)) {\n            throw new AssertionError();\n        }\n    }\n}\n"
)
SCALA = "object Tests {\n  import Solution.add\n  def main(args: Array[String]): Unit = {\n    BODY\n  }\n}\n"
KOTLIN = "fun main() {\n    BODY\n}\n"
BASH = 'candidate() {\n    add "$@"\n}\n\nset -e\nrun_test() {\n    BODY\n}\n\nrun_test'
HASKELL = 'main :: IO ()\nmain = do\n  let candidate = add\n  if BODY then pure () else error "no"\n  pure ()\n'
ADA = (
    "pragma Ada_2022;\nwith Placeholder; use Placeholder;\n\nprocedure Main is\n\n"
    "   function Candidate (A : Integer; B : Integer) return KIND renames Placeholder.Add;\n\nbegin\n"
    "   pragma Assert (BODY);\nend Main;\n"
)
FORTRAN = "program tests\n  use m, only: add\n  implicit none\n  integer :: a = 3\n  BODY\nend program tests\n"
RUST = "#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn test_add() {\n        BODY\n    }\n}\n"
