"""A language model of a few thousand weights, and a tokenizer trained on the demo: no hub needed."""

from __future__ import annotations

from pathlib import Path

import datasets

CHAT_TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def save_tiny_model(demo: Path, folder: Path) -> Path:
    """Train a tokenizer on the demo's texts and save it with a randomly initialized model."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    texts = [
        row["message" if "message" in row else "utterance"]
        for name in sorted(path.name for path in demo.iterdir() if (path / "utterances").is_dir())
        for row in datasets.load_dataset(str(demo / name), "utterances", split="train")
    ]
    special = ["<|pad|>", "<|end|>", "<|user|>", "<|assistant|>", "<|system|>"]
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, vocab_size=500, special_tokens=special, show_progress=False)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, pad_token="<|pad|>", eos_token="<|end|>"
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=1024,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder
