"""Two GRPO steps of TRL: one with a reward for code, one with an environment whose tools run code.

The model is made on the spot, so nothing is downloaded, and it says nothing sensible. Put your own in its place:

    GRPOTrainer(model="Qwen/Qwen3-0.6B", reward_funcs=reward, ...)

Needs `pip install ".[trl]"`. Run it with `python examples/integrations/trl_grpo.py`.
"""

import functools
import os
import tempfile

os.environ.setdefault("HF_ALLOW_CODE_EVAL", "1")  # this runs programs that a model wrote, in the sandbox
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

from datasets import Dataset
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template

from code_tasks.adapters.trl import CodeEnvironment, make_async_code_reward, make_code_reward

TASKS = Dataset.from_list([
    {
        "prompt": [{"role": "user", "content": "Write a Python function add(a, b) that returns the sum."}],
        "tests": "assert add(2, 3) == 5\nassert add(-1, 1) == 0",
        "weights": [3, 1],
    },
])  # fmt: skip


def tiny_model():
    """Return a model with two layers and random weights, and a tokenizer with a token for each byte."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={char: number for number, char in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    chat = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    chat.chat_template = qwen3_chat_template
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2, "num_key_value_heads": 1}
    config = Qwen2Config(vocab_size=len(chat), num_hidden_layers=2, eos_token_id=chat.eos_token_id, **sizes)
    return Qwen2ForCausalLM(config), chat


def train(**options):
    """Make one step on a CPU."""
    model, tokenizer = tiny_model()
    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder,
            use_cpu=True,
            bf16=False,
            max_steps=1,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=32,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            disable_tqdm=True,
        )
        trainer = GRPOTrainer(model=model, args=config, train_dataset=TASKS, processing_class=tokenizer, **options)
        # With logging_steps=1 this prints the rewards and the rate of each outcome.
        trainer.train()


if __name__ == "__main__":
    # The share of the tests' total weight; an answer without code loses a little.
    reward = make_code_reward(timeout=10.0, partial_credit=True, no_code=-0.1, syntax_error=-0.05)
    passes = make_async_code_reward(timeout=10.0, name="passes")
    train(reward_funcs=[reward, passes])
    # The trainer gives the model the tools run_code and run_tests.
    train(environment_factory=functools.partial(CodeEnvironment, timeout=10.0, max_test_runs=5))
