"""The prompts of CodeCorrectness records: what a model is asked, filled in as MERA fills it in."""

import json

import pytest

from code_tasks.benchmarks.readers import InputError
from code_tasks.correctness import Record, fill_in_prompts, read_correctness
from support.metric_and_command import DATA, ROOT, code_eval, lines_of
from support.requirements import require_file

INPUTS = {"focal_code": "def f():\\n    return {'a': 1}\\n", "test_code": "assert f()\n", "lang": "Python"}


def asked(instruction, **inputs):
    """Return the prompt of a record with an instruction."""
    source = {"instruction": instruction, "inputs": {**INPUTS, **inputs}}
    [prompt] = fill_in_prompts([Record("7", "", "", "python", "", "data.jsonl:3", source)])
    return prompt


@pytest.mark.parametrize(
    ("instruction", "prompt"),
    [
        ("{lang}:\n{focal_code}\n{test_code}!", "Python:\ndef f():\\n    return {'a': 1}\\n\nassert f()\n!"),
        ("{lang} {lang}", "Python Python"),
        ("\n\n  Is it right?\n{test_code}\n", "Is it right?\nassert f()"),
        ("{{lang}} is {lang}", "{lang} is Python"),
        ("Ответь одним словом.", "Ответь одним словом."),
    ],
)
def test_placeholders(instruction, prompt):
    """Placeholders are replaced with the record's texts as they are, and white space around the prompt is removed."""
    assert asked(instruction) == prompt


def test_texts_are_not_filled_in():
    """Braces in the code are left as they are, also those that look like a placeholder."""
    assert asked("{test_code}\n{lang}", test_code="print('{lang}', {})") == "print('{lang}', {})\nPython"


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        (None, "data.jsonl:3: there is no instruction"),
        ("  ", "there is no instruction"),
        (["{lang}"], "there is no instruction"),
        ("{code}", r"placeholders must be \{focal_code\}, \{test_code\}, \{lang\}: not \{code\}"),
        ("{}", r"not \{\}"),
        ("{lang.upper}", r"not \{lang.upper\}"),
        ("{lang:>999999999999}", r"not \{lang\} with a format"),
        ("{lang!r}", r"not \{lang\} with a format"),
        ("{lang", "expected '}' before end of string"),
        ("lang}", "Single '}' encountered"),
    ],
)
def test_invalid_instructions(instruction, message):
    """An instruction that is missing, or has other placeholders, is an error that names the record's file and line."""
    with pytest.raises(InputError, match=message):
        asked(instruction)


def test_records_made_by_hand():
    """A record that was not read from a file has no instruction, and is named by its id."""
    with pytest.raises(InputError, match="record 7: there is no instruction"):
        fill_in_prompts([Record("7", "x = 1", "assert x", "python", "success")])


def test_published_record():
    """The record that MERA published is filled in with its code as the dataset writes it."""
    path = DATA / "code_correctness_example.json"
    require_file(path)
    [prompt] = fill_in_prompts(read_correctness(path))
    record = json.loads(path.read_text(encoding="utf-8"))
    assert "Фокальный файл:\n\nPython\n\n" + record["inputs"]["focal_code"] + "\n\n\nТестовый файл:" in prompt
    assert prompt.endswith('верни "succeed". Иначе верни "fail".')


def test_command(tmp_path):
    """`--prompts` writes a line for each record, with its label if it has one, and runs nothing."""
    [first, second, *_] = (ROOT / "examples" / "correctness" / "python.jsonl").read_text(encoding="utf-8").splitlines()
    second = json.dumps({**json.loads(second), "outputs": None})
    data, prompts = tmp_path / "data.jsonl", tmp_path / "prompts.jsonl"
    data.write_text(f"{first}\n{second}\n", encoding="utf-8")
    done = code_eval("correctness", data, "--prompts", prompts)
    assert (done.returncode, done.stdout) == (0, f"2 prompts written to {prompts}\n"), done.stderr
    lines = lines_of(prompts)
    assert [line["prompt"] for line in lines] == fill_in_prompts(read_correctness(data, needs_labels=False))
    assert [line.keys() for line in lines] == [{"id", "language", "prompt", "outputs"}] * 2
    assert [line["outputs"] for line in lines] == [json.loads(first)["outputs"], None]


def test_command_with_invalid_instructions(tmp_path):
    """Each record without an instruction is named, and no file is written."""
    data, prompts = tmp_path / "data.jsonl", tmp_path / "prompts.jsonl"
    data.write_text("".join(json.dumps({"inputs": INPUTS, "meta": {"id": n}}) + "\n" for n in (1, 2)))
    done = code_eval("correctness", data, "--prompts", prompts)
    assert (done.returncode, prompts.exists()) == (2, False)
    assert f"{data}:1: there is no instruction\n{data}:2: there is no instruction" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--output", "--labels"])
def test_prompts_alone(tmp_path, option):
    """`--prompts` runs nothing, so an option for the results of runs is refused with it."""
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"instruction": "{lang}", "inputs": INPUTS}))
    done = code_eval("correctness", data, "--prompts", tmp_path / "a", option, tmp_path / "b")
    assert done.returncode == 2
    assert "--prompts runs nothing" in done.stderr
    assert list(tmp_path.iterdir()) == [data]
