"""The numbers that verl gives to answers of `POST /run_code`. Its reward is 1 for True and 0 for everything else."""

API_ERROR, RUNTIME_ERROR, TIMED_OUT, COMPILE_ERROR = -1, -2, -3, -4


def verl_status(answer, expected):
    """Return True or False for an output that is compared, and a number for a program that has none.

    Args:
        answer: as parsed JSON. None: there was none, such as after a status that verl does not try again.
        expected: the expected output.
    """
    if answer is None or answer["status"] == "SandboxError":
        return API_ERROR
    compiled, run = answer["compile_result"], answer["run_result"]
    if answer["status"] == "Failed":
        if compiled and (compiled["status"] != "Finished" or compiled["return_code"] != 0):
            return COMPILE_ERROR
        if run is None:
            return API_ERROR
        if run["status"] == "TimeLimitExceeded":
            return TIMED_OUT
        return RUNTIME_ERROR if run["status"] == "Error" or run["return_code"] != 0 else API_ERROR
    if answer["status"] != "Success" or run is None or run["status"] != "Finished":
        return API_ERROR
    return run["stdout"].rstrip("\n") == expected.rstrip("\n")
