"""Batches and configurations of verl, made on the spot, with a tokenizer that has one token per byte."""

import asyncio
import warnings

import numpy
import torch
from omegaconf import OmegaConf
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

with warnings.catch_warnings():
    # verl imports what Ray has moved.
    warnings.filterwarnings("ignore", "Ray state API", DeprecationWarning)
    from verl import DataProto
    from verl.experimental.reward_loop import RewardLoopManager
    from verl.experimental.reward_loop.reward_manager import get_reward_manager_cls
    from verl.trainer.ppo.reward import get_custom_reward_fn, load_reward_manager
    from verl.workers.reward_manager import get_reward_manager_cls as get_batch_manager_cls

from support.verl_samples import ADAPTER

__all__ = ["RewardLoopManager", "get_batch_manager_cls", "get_custom_reward_fn", "get_reward_manager_cls"]
__all__ += ["batch_of", "byte_tokenizer", "config_of", "load_reward_manager", "run_manager"]


def byte_tokenizer():
    """Return a tokenizer with one token per byte."""
    letters = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "<pad>", "<eos>"]
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate(letters)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>", pad_token="<pad>")


def batch_of(tokenizer, answers, truths, source="codecontests"):
    """Return the batch of a rollout: answers, and the tests of each."""
    rows = [tokenizer.encode(answer) for answer in answers]
    length = max(map(len, rows))
    responses = torch.tensor([row + [tokenizer.pad_token_id] * (length - len(row)) for row in rows])
    prompts = torch.zeros((len(rows), 1), dtype=torch.int64)
    mask = torch.cat([torch.ones_like(prompts), (responses != tokenizer.pad_token_id).long()], dim=1)
    return DataProto.from_dict(
        tensors={"prompts": prompts, "responses": responses, "attention_mask": mask},
        non_tensors={
            "data_source": numpy.array([source] * len(rows), dtype=object),
            "reward_model": numpy.array([{"style": "rule", "ground_truth": each} for each in truths], dtype=object),
            "extra_info": numpy.array([{"index": number} for number in range(len(rows))], dtype=object),
        },
    )


def config_of(manager="naive", function="compute_score", path=ADAPTER, workers=1, folder=None, **options):
    """Return the part of a trainer's configuration that rewards need, with options as `reward_kwargs`."""
    return OmegaConf.create(
        {
            "reward": {
                "num_workers": workers,
                "custom_reward_function": {"path": path, "name": function, "reward_kwargs": options},
                "reward_manager": {"source": "register", "name": manager, "module": {"path": None, "name": None}},
                "reward_model": {"enable": False, "enable_resource_pool": False},
                "max_concurrent": 64,
            },
            "actor_rollout_ref": {"model": {"path": folder, "tokenizer_path": None}},
            "trainer": {"experiment_name": "test"},
        }
    )


def run_manager(manager, batch):
    """Return what a manager of the reward loop says of each sample of a batch, all of which it scores at once."""

    async def run_all():
        return await asyncio.gather(*(manager.run_single(batch[number : number + 1]) for number in range(len(batch))))

    return manager.loop.run_until_complete(run_all())
