"""One of several processes that make a GRPO step together. `python -m torch.distributed.run` starts them."""

import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from datasets import Dataset  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

from code_tasks.adapters.trl import make_code_reward  # noqa: E402
from code_tasks.adapters.trl.grading import workers_of_this_process  # noqa: E402
from support.metric_and_command import RIGHT, TESTS, WRONG  # noqa: E402
from support.tiny_models import END, one_step, scripted_model  # noqa: E402


def main():
    """Train, and print what the first process knows of the answers of all."""
    rank = int(os.environ["RANK"])
    texts = [f"```python\n{code}\n```{END}" for code in (RIGHT, WRONG)] if rank == 0 else [f"No idea.{END}"] * 2
    model, tokenizer = scripted_model(texts)
    rows = [{"prompt": [{"role": "user", "content": "Write add."}], "tests": TESTS if rank == 0 else None}]
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            args=one_step(GRPOConfig, folder, 2, group=4),
            train_dataset=Dataset.from_list(rows),
            processing_class=tokenizer,
            reward_funcs=make_code_reward(timeout=20.0),
        )
        trainer.train()
    if rank == 0:
        outcomes = list(trainer._logs["extra"]["code_reward/outcome"])
        log = trainer.state.log_history[0]
        values = [outcomes, log["reward"], log["code_reward/passed"], workers_of_this_process()]
        sys.stdout.write(f"\nANSWERS {json.dumps(values)}\n")


if __name__ == "__main__":
    main()
