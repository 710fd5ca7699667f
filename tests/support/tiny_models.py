"""A tokenizer for every text, and a tiny chat model that says what a test tells it to, for trainers on a CPU."""

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from trl.chat_template_utils import qwen3_chat_template

END = "<|im_end|>"
SPECIAL = ("<|endoftext|>", "<|im_start|>", END)


def byte_tokenizer():
    """Return a tokenizer with one token for each byte, and Qwen3's chat template, which knows tools."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={char: number for number, char in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=SPECIAL[0])
    fast.add_special_tokens({"additional_special_tokens": list(SPECIAL[1:2])})
    fast.padding_side = "left"
    fast.chat_template = qwen3_chat_template
    return fast


class ScriptedModel(Qwen2ForCausalLM):
    """A model with two layers that says given texts, and is trained on them as if it had chosen them."""

    texts: list = []
    """The texts that are still to be said, in the order of the rows of all calls of `generate`. A text without END at
    its end is cut off."""

    def generate(self, input_ids, attention_mask=None, **options):
        """Return the prompts, each with its text."""
        said = [self.texts.pop(0) for _ in range(len(input_ids))]
        answers = [self.tokenizer(text)["input_ids"] for text in said]
        length = max(map(len, answers))
        for answer in answers:
            # An answer that is cut off is as long as any can be, so nothing pads it.
            filler = "pad" if answer[-1] == self.tokenizer.eos_token_id else "space"
            answer += [self.fillers[filler]] * (length - len(answer))
        return torch.cat([input_ids, torch.tensor(answers)], dim=1)


def scripted_model(texts=()):
    """Return a model that says these texts, and its tokenizer."""
    tokenizer = byte_tokenizer()
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=8192,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(0)
    model = ScriptedModel(config)
    model.tokenizer, model.texts = tokenizer, list(texts)
    model.fillers = {"pad": tokenizer.pad_token_id, "space": tokenizer(" ")["input_ids"][0]}
    return model, tokenizer


def one_step(config_class, folder, answers, group=None):
    """Return the configuration of one training step on a CPU.

    Args:
        config_class: GRPOConfig or RLOOConfig.
        folder: for the trainer's files.
        answers: number of answers in one process.
        group: number of answers to a prompt. None: as many as there are in one process.
    """
    return config_class(
        output_dir=str(folder),
        use_cpu=True,
        bf16=False,
        max_steps=1,
        per_device_train_batch_size=answers,
        num_generations=group or answers,
        max_completion_length=2000,
        learning_rate=0.01,
        # Otherwise RLOO loads a second model by its name, and this one has none.
        beta=0.0,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
    )
