"""Candidates of cases that are calls: {kind of data: {language: candidate}}, and what the kinds' calls are."""

CALLS = {
    "lists": ([[[1, 2], 3], [[], 1], [[-5, 100000], 0]], [[4, 5], [], [-5, 100000]]),
    "texts": ([['a"\\\n\té😀'], [""], ["\u0001/"]], ['a"\\\n\té😀!', "!", "\u0001/!"]),
    "floats": ([[[1, 2.5, -1e-7]], [[1e300]]], [[1 / 3, 2.5 / 3, -1e-7 / 3], [1e300 / 3]]),
    "flags": ([[True, False], [True, True]], [False, True]),
    "grids": ([[[[1, 2], [3, 4], [5, 6]]], [[[7]]]], [[[1, 3, 5], [2, 4, 6]], [[7]]]),
    "tables": ([[{"a": 1, 'b"é': -2}], [{}]], [{"a": 2, 'b"é': -1}, {}]),
    "nothing": ([[None], [4]], [0, 5]),
}
"""(arguments of each call, results) by kind. The function of each candidate is `makeIt`."""

PROGRAMS = {
    "lists": {
        "javascript": "function makeIt(a, b) { console.log('here'); return a.map((x) => x + b); }",
        "typescript": "export const makeIt = (a: number[], b: number): number[] => a.map((x) => x + b);",
        "java": "class Solution { public int[] makeIt(int[] a, int b) { System.out.print(3); "
        "return java.util.Arrays.stream(a).map(x -> x + b).toArray(); } }",
        "cpp": "class Solution {\npublic:\n  vector<int> makeIt(vector<int>& a, int b) { for (auto& x : a) x += b; "
        'cout << 1; printf("2"); return a; }\n};',
        "cpp11": "vector<long long> makeIt(const vector<long long>& a, const int b) { auto all = a; "
        "for (auto& x : all) x += b; return all; }",
        "go": 'package main\n\nimport "fmt"\n\nfunc makeIt(a []int, b int) []int {\n\tfmt.Print(1)\n\tall := []int{}\n'
        "\tfor _, x := range a {\n\t\tall = append(all, x+b)\n\t}\n\treturn all\n}\n\nfunc main() { makeIt(nil, 1) }",
        "rust": 'impl Solution { pub fn make_it(a: Vec<i32>, b: i32) -> Vec<i32> { print!("1"); '
        "a.iter().map(|x| x + b).collect() } }\n\nfn main() {}",
        "ruby": "def make_it(a, b)\n  print 1\n  a.map { |x| x + b }\nend",
        "php": "<?php class Solution { function makeIt($a, $b) { echo 1; "
        "return array_map(fn($x) => $x + $b, $a); } } ?>",
    },
    "texts": {
        "javascript": "class Solution { makeIt(text) { return text + '!'; } }",
        "typescript": "class Solution { makeIt(text: string) { return text + '!'; } }",
        "java": 'public class Other { static String makeIt(String text) { return text + "!"; } }',
        "cpp": '#include <string>\nstd::string makeIt(const std::string& text) { return text + "!"; }\nint main() {}',
        "go": 'func makeIt(text string) string { return text + "!" }',
        "rust": 'fn makeIt(text: &str) -> String { format!("{}!", text) }',
        "ruby": "class Solution\n  def makeIt(text) = text + '!'\nend",
        "php": "function makeIt($text) { return $text . '!'; }",
    },
    "floats": {
        "javascript": "const makeIt = (all) => all.map((x) => x / 3);",
        "typescript": "const makeIt = async (all: number[]) => all.map((x) => x / 3);",
        "java": "import java.util.List;\nclass Solution { List<Double> makeIt(List<Double> all) { "
        "return all.stream().map(x -> x / 3).collect(Collectors.toList()); } }",
        "cpp": "vector<double> makeIt(vector<double> all) { for (auto& x : all) x /= 3; return all; }",
        "go": "func makeIt(all []float64) []float64 {\n\tfor i := range all {\n\t\tall[i] /= 3\n\t}\n\treturn all\n}",
        "rust": "fn make_it(all: &mut Vec<f64>) -> Vec<f64> { for x in all.iter_mut() { *x /= 3.0; } all.clone() }",
        "ruby": "def make_it(all) = all.map { |x| x / 3.0 }",
        "php": "function makeIt($all) { return array_map(fn($x) => $x / 3, $all); }",
    },
    "flags": {
        "javascript": "var makeIt = function (a, b) { return a && b; };",
        "typescript": "var makeIt = function (a: boolean, b: boolean) { return a && b; };",
        "java": "class Solution { boolean makeIt(boolean a, Boolean b) { return a && b; } }",
        "cpp": "bool makeIt(bool a, bool b) { return a && b; }",
        "go": "func makeIt(a, b bool) bool { return a && b }",
        "rust": "fn make_it(a: bool, b: bool) -> bool { a && b }",
        "ruby": "def make_it(a, b) = a && b",
        "php": "function makeIt(bool $a, bool $b) { return $a && $b; }",
    },
    "grids": {
        "javascript": "const makeIt = (rows) => rows[0].map((_, i) => rows.map((row) => row[i]));",
        "typescript": "const makeIt = (rows: number[][]) => rows[0].map((_, i) => new Set(rows.map((row) => row[i])));",
        "java": "class Solution { long[][] makeIt(List<List<Integer>> rows) { "
        "long[][] all = new long[rows.get(0).size()][rows.size()];\n"
        "for (int i = 0; i < rows.size(); i++) for (int j = 0; j < all.length; j++) all[j][i] = rows.get(i).get(j);\n"
        "return all; } }",
        "cpp": "vector<vector<int>> makeIt(vector<vector<int>> rows) {\n"
        "  vector<vector<int>> all(rows[0].size(), vector<int>(rows.size()));\n"
        "  for (size_t i = 0; i < rows.size(); i++) for (size_t j = 0; j < all.size(); j++) all[j][i] = rows[i][j];\n"
        "  return all;\n}",
        "go": "func makeIt(rows [][]int) [][]int {\n\tall := make([][]int, len(rows[0]))\n"
        "\tfor _, row := range rows {\n"
        "\t\tfor j, each := range row {\n\t\t\tall[j] = append(all[j], each)\n\t\t}\n\t}\n\treturn all\n}",
        "rust": "fn make_it(rows: Vec<Vec<i64>>) -> Vec<Vec<i64>> {\n"
        "    (0..rows[0].len()).map(|j| rows.iter().map(|row| row[j]).collect()).collect()\n}",
        "ruby": "def make_it(rows) = rows.transpose",
        "php": "function makeIt($rows) { return array_map(fn($j) => array_column($rows, $j), array_keys($rows[0])); }",
    },
    "tables": {
        "javascript": "const makeIt = (all) => new Map(Object.entries(all).map(([key, x]) => [key, x + 1]));",
        "typescript": "const makeIt = (all: Record<string, number>) => {\n"
        "  for (const key in all) all[key] += 1;\n  return all;\n};",
        "java": "import java.util.*;\nclass Solution { Map<String, Integer> makeIt(TreeMap<String, Integer> all) { "
        "all.replaceAll((key, x) -> x + 1); return all; } }",
        "cpp": "map<string, int> makeIt(unordered_map<string, int> all) {\n"
        "  map<string, int> more;\n  for (auto& each : all) more[each.first] = each.second + 1;\n  return more;\n}",
        "go": "func makeIt(all map[string]int) map[string]int {\n\tfor key := range all {\n\t\tall[key]++\n\t}\n"
        "\treturn all\n}",
        "rust": "use std::collections::HashMap;\nfn make_it(all: HashMap<String, i32>) -> HashMap<String, i32> {\n"
        "    all.into_iter().map(|(key, x)| (key, x + 1)).collect()\n}",
        "ruby": "def make_it(all) = all.transform_values { |x| x + 1 }",
        "php": "function makeIt($all) { return (object) array_map(fn($x) => $x + 1, $all); }",
    },
    "nothing": {
        "javascript": "const makeIt = (x) => x === null ? 0n : BigInt(x) + 1n;",
        "typescript": "const makeIt = (x: number | null) => (x ?? -1) + 1;",
        "java": "class Solution { Optional<Integer> makeIt(Integer x) { return Optional.of(x == null ? 0 : x + 1); } }",
        "cpp": "optional<int> makeIt(optional<int> x) { return x ? *x + 1 : 0; }",
        "go": "func makeIt(x *int) *int {\n\tsum := 0\n\tif x != nil {\n\t\tsum = *x + 1\n\t}\n\treturn &sum\n}",
        "rust": "fn make_it(x: Option<i32>) -> Option<i32> { Some(x.map_or(0, |each| each + 1)) }",
        "ruby": "def make_it(x) = x.nil? ? 0 : x + 1",
        "php": "function makeIt($x) { return $x === null ? 0 : $x + 1; }",
    },
}
