"""Scores three answers with the reward manager of verl that its trainers use, and prints what verl gets.

In a training, two lines of the configuration are enough:

    reward.custom_reward_function.path=pkg://code_tasks.adapters.verl
    reward.custom_reward_function.name=compute_score_async

Needs `pip install ".[verl]"`. Run it with `python examples/integrations/verl_reward.py`.
"""

import asyncio
import json
import os

os.environ.setdefault("HF_ALLOW_CODE_EVAL", "1")  # this runs programs that a model wrote, in the sandbox

import numpy
import torch
from omegaconf import OmegaConf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
from verl import DataProto
from verl.trainer.ppo.reward import load_reward_manager

TESTS = json.dumps({"inputs": ["2 3\n", "1 1\n"], "outputs": ["5\n", "2\n"]})
ANSWERS = [
    "```python\na, b = map(int, input().split())\nprint(a + b)\n```",
    "```python\nprint(5)\n```",
    "I don't know.",
]
CONFIG = OmegaConf.create({
    "reward": {
        "custom_reward_function": {
            "path": "pkg://code_tasks.adapters.verl",
            "name": "compute_score_async",
            "reward_kwargs": {"timeout": 10.0, "continuous": True, "details": True},
        },
        "reward_manager": {"source": "register", "name": "naive"},
    }
})  # fmt: skip


def byte_tokenizer():
    """Return a tokenizer with a token for each byte, so that nothing is downloaded."""
    letters = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "<pad>"]
    tokenizer = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>")


def sample(tokenizer, answer):
    """Return one sample of a rollout as verl's agents hand it over."""
    response = torch.tensor([tokenizer.encode(answer)])
    return DataProto.from_dict(
        tensors={"responses": response, "attention_mask": torch.ones((1, 1 + response.shape[1]), dtype=torch.int64)},
        non_tensors={
            "data_source": numpy.array(["codecontests"]),
            "reward_model": numpy.array([{"style": "rule", "ground_truth": TESTS}]),
            "extra_info": numpy.array([{}]),
        },
    )


async def score_all():
    """Return what the manager says of the answers, which it scores at the same time."""
    tokenizer = byte_tokenizer()
    manager = load_reward_manager(CONFIG, tokenizer)
    return await asyncio.gather(*(manager.run_single(sample(tokenizer, answer)) for answer in ANSWERS))


if __name__ == "__main__":
    for scored in asyncio.run(score_all()):
        print(scored["reward_score"], scored["reward_extra_info"]["outcome"])
