#!/usr/bin/env python3
"""Every key that the files of a model folder may state, taken from the sources of the libraries
that read and write them.

    inventory.py OUTPUT     writes tests/fixtures/stated_keys.json

Wants sentence-transformers 6.2, transformers 5.24, tokenizers 0.23 and peft 0.21. The keys of a
class are the parameters of its constructor, the fields that it saves, and the names that its loader
takes out of the file. test_io checks that core/io/stated_keys.cpp knows each one.
"""

import dataclasses
import inspect
import json
import re
import sys
from pathlib import Path

import peft
import tokenizers
import torch
import transformers
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.sentence_transformer import modules
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    configuration_utils,
    masking_utils,
    modeling_rope_utils,
    modeling_utils,
    tokenization_utils_base,
    tokenization_utils_tokenizers,
)

FAMILIES = [
    "albert",
    "bert",
    "camembert",
    "distilbert",
    "electra",
    "ernie",
    "gemma3_text",
    "gte",
    "modernbert",
    "mpnet",
    "nomic_bert",
    "qwen3",
    "roberta",
    "t5",
    "xlm-roberta",
]
TOKENIZERS = [
    "AlbertTokenizer",
    "BertTokenizer",
    "CamembertTokenizer",
    "GemmaTokenizer",
    "LlamaTokenizer",
    "MPNetTokenizer",
    "Qwen2Tokenizer",
    "RobertaTokenizer",
    "T5Tokenizer",
    "XLMRobertaTokenizer",
    "PreTrainedTokenizerFast",
]
NOT_KEYS = {
    "self",
    "args",
    "kwargs",
    "vocab",
    "merges",
    "vocab_file",
    "merges_file",
    "tokenizer_file",
    "model_name_or_path",
    "backend",
    "cls",
}


def parameters(cls):
    return {
        name
        for base in cls.__mro__
        if base is not object and "__init__" in base.__dict__
        for name in inspect.signature(base.__init__).parameters
    }


def taken_out(module, name):
    """The keys that a loader takes out of what a file states: kwargs.pop("key"), config["key"],
    config.get("key")."""
    return set(
        re.findall(name + r"""(?:\.pop\(|\.get\(|\[)["'](\w+)["']""", inspect.getsource(module))
    )


def looked_up(*sources):
    """The attributes of a config that code asks for, whatever its class declares: getattr(config,
    "key")."""
    pattern = r"""(?:get|has)attr\((?:self\.)?(?:text_)?config, ["'](\w+)["']"""
    return {key for module in sources for key in re.findall(pattern, inspect.getsource(module))}


def config_keys(family):
    config = transformers.AutoConfig.for_model(family)
    return set(config.to_dict()) | parameters(type(config)) | set(config.attribute_map)


def sentence_transformer():
    linear = torch.nn.Linear(2, 2)
    return SentenceTransformer(modules=[linear], device="cpu", truncate_dim=2)


def tokenizer_fields():
    """Of tokenizer.json: the top level, and the fields of each part, of whatever type."""
    tokenizer = tokenizers.Tokenizer(models.WordPiece({"a": 0}, unk_token="a"))
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding()
    tokenizer.add_tokens([tokenizers.AddedToken("b")])
    saved = json.loads(tokenizer.to_str())
    fields = {
        "": set(saved),
        "truncation": set(saved["truncation"]),
        "padding": set(saved["padding"]),
        "added_tokens": set(saved["added_tokens"][0]),
    }
    made = {
        "model": [
            models.WordPiece({"a": 0}, unk_token="a"),
            models.BPE({"a": 0}, []),
            models.Unigram([("a", 0.0)]),
            models.WordLevel({"a": 0}, "a"),
        ],
        "normalizer": [
            normalizers.BertNormalizer(),
            normalizers.Lowercase(),
            normalizers.NFC(),
            normalizers.NFD(),
            normalizers.NFKC(),
            normalizers.NFKD(),
            normalizers.Nmt(),
            normalizers.Prepend("a"),
            normalizers.Replace("a", "b"),
            normalizers.Sequence([]),
            normalizers.Strip(),
            normalizers.StripAccents(),
            normalizers.ByteLevel(),
        ],
        "pre_tokenizer": [
            pre_tokenizers.BertPreTokenizer(),
            pre_tokenizers.ByteLevel(),
            pre_tokenizers.CharDelimiterSplit("a"),
            pre_tokenizers.Digits(),
            pre_tokenizers.Metaspace(),
            pre_tokenizers.Punctuation(),
            pre_tokenizers.Sequence([]),
            pre_tokenizers.Split("a", "removed"),
            pre_tokenizers.UnicodeScripts(),
            pre_tokenizers.Whitespace(),
            pre_tokenizers.WhitespaceSplit(),
        ],
        "post_processor": [
            processors.BertProcessing(("a", 0), ("a", 0)),
            processors.ByteLevel(),
            processors.RobertaProcessing(("a", 0), ("a", 0)),
            processors.Sequence([]),
            processors.TemplateProcessing(single="$A", special_tokens=[]),
        ],
    }
    for part, objects in made.items():
        for value in objects:
            tokenizer = tokenizers.Tokenizer(
                value if part == "model" else models.WordPiece({"a": 0}, unk_token="a")
            )
            if part != "model":
                setattr(tokenizer, part, value)
            state = json.loads(tokenizer.to_str())[part]
            fields[part] = fields.get(part, set()) | set(state)
    return fields


def main():
    st = sentence_transformer()
    base = transformers.PreTrainedConfig
    everywhere = (
        set(base().to_dict())
        | parameters(base)
        | {"torch_dtype", "attn_implementation", "name_or_path"}
    )
    everywhere |= looked_up(
        configuration_utils, masking_utils, modeling_rope_utils, modeling_utils
    ) | {"per_layer_config", "tie_last_hidden_states"}
    tokenizer = set().union(*(parameters(getattr(transformers, name)) for name in TOKENIZERS))
    tokenizer |= taken_out(tokenization_utils_base, "kwargs") | taken_out(
        tokenization_utils_tokenizers, "kwargs"
    )
    tokenizer |= set(transformers.PreTrainedTokenizerBase.SPECIAL_TOKENS_ATTRIBUTES) | {
        "tokenizer_class",
        "added_tokens_decoder",
        "additional_special_tokens",
    }
    of_loading = {
        "from_flax",
        "from_tf",
        "cache_dir",
        "force_download",
        "proxies",
        "token",
        "local_files_only",
        "revision",
        "subfolder",
        "commit_message",
        "repo_id",
        "padding",
        "truncation",
        "max_length",
        "pad_to_multiple_of",
        "max_target_length",
        "tokenizer_object",
        "gguf_file",
    }
    files = {
        "config.json": sorted(everywhere),
        **{
            f"config.json {family}": sorted(config_keys(family) - everywhere) for family in FAMILIES
        },
        "generation_config.json": sorted(transformers.GenerationConfig().to_dict()),
        "adapter_config.json": sorted(field.name for field in dataclasses.fields(peft.LoraConfig)),
        "modules.json": ["idx", "kwargs", "name", "path", "type"],
        "config_sentence_transformers.json": sorted(
            set(st._get_model_config())
            | taken_out(CrossEncoder._parse_model_config, "model_config")
            | taken_out(CrossEncoder._get_model_config, "config")
        ),
        "sentence_bert_config.json": sorted(
            set(Transformer.config_keys)
            | parameters(Transformer)
            | {"model_args", "tokenizer_args", "config_args"}
        ),
        "Pooling/config.json": sorted(
            set(modules.Pooling.config_keys)
            | parameters(modules.Pooling)
            | {"word_embedding_dimension"}
            | set(
                re.findall(
                    r'"(pooling_mode_\w+)"', Path(inspect.getfile(modules.Pooling)).read_text()
                )
            )
        ),
        "Dense/config.json": sorted(set(Dense.config_keys)),
        "Normalize/config.json": sorted(set(Normalize.config_keys)),
        "LayerNorm/config.json": sorted(set(modules.LayerNorm.config_keys)),
        "Dropout/config.json": sorted(set(modules.Dropout.config_keys)),
        "special_tokens_map.json": sorted(
            set(transformers.PreTrainedTokenizerBase.SPECIAL_TOKENS_ATTRIBUTES)
            | {"additional_special_tokens", "extra_special_tokens"}
        ),
        "tokenizer_config.json": sorted(tokenizer - of_loading),
        **{
            f"tokenizer.json: {part}".removesuffix(": "): sorted(keys)
            for part, keys in tokenizer_fields().items()
        },
    }
    lists = {
        name: [key for key in keys if key not in NOT_KEYS or name.startswith("tokenizer.json")]
        for name, keys in files.items()
    }
    Path(sys.argv[1]).write_text(json.dumps(lists, indent=1) + "\n")


if __name__ == "__main__":
    main()
