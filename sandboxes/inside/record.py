"""What tests that are run one by one record of each, as JSON text."""

import json

# The variable in which tests that are run one by one record what became of each: lists of name, outcome, message and
# seconds.
RECORD, RECORD_FIELDS, RECORDED_OUTCOMES = "code_eval_tests", [str, str, str, float], ("passed", "failed")
MOST_RECORD_BYTES = 44 << 10


def record_of(namespace):
    """The record that tests kept in a namespace, as JSON text in ASCII; "" if there is none, or it is too long."""
    record = dict.get(namespace, RECORD)
    if not record or not is_record(record):
        return ""
    lines = [
        [name, RECORDED_OUTCOMES.index(outcome), text, round(seconds, 6)] for name, outcome, text, seconds in record
    ]
    text = json.dumps(lines, separators=(",", ":"))
    if len(text) > MOST_RECORD_BYTES:
        # Of many that failed, what the first says is worth most.
        failed = next((each for each in lines if each[2]), None)
        lines = [[*each[:2], each[2] if each is failed else "", each[3]] for each in lines]
        text = json.dumps(lines, separators=(",", ":"))
    return text if len(text) <= MOST_RECORD_BYTES else ""


def is_record(value):
    """Whether a value is a record, such as tests keep: a candidate may write another thing."""
    return type(value) is list and all(
        type(each) is list and list(map(type, each)) == RECORD_FIELDS and each[1] in RECORDED_OUTCOMES for each in value
    )


def record_from(text):
    """The record that `record_of` was given; an empty one for any other text."""
    try:
        lines = json.loads(text) if len(text) <= MOST_RECORD_BYTES else []
        record = [[name, RECORDED_OUTCOMES[number], message, seconds] for name, number, message, seconds in lines]
    except (ValueError, TypeError, LookupError, RecursionError):
        return []
    return record if is_record(record) else []
