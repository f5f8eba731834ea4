"""Seeds of the targets that load whole folders, for seeds.py."""

import json


def make(seed):
    model_folders(seed)
    newer_folders(seed)


def model_folders(seed):
    """Inputs of model_folder.cpp: a fixture, how it is loaded and asked, and edits: a file, a kind
    and what the kind takes."""
    (
        added,
        config,
        merges,
        weights,
        _,
        modules,
        _,
        tokenizer,
        settings,
        codes,
        words,
        pooling,
        dense,
        _,
        prompts,
        sentence,
    ) = range(16)
    patch, splice, overwrite, cut, whole, erase, copy = range(7)
    bf16, old, st, sharded, roberta, unigram, sentencepiece, gemma, qwen = range(9)
    model = 16  # sentencepiece.bpe.model

    def folder(name, number, *edits, way=0, length=0):
        parts = [
            bytes([file, kind])
            + (json.dumps(what).encode() if isinstance(what, (dict, list)) else what)
            for file, kind, what in edits
        ]
        seed("model_folder", name, bytes([number, way, length]), *parts)

    for number in range(21):
        folder(f"good-{number}", number, way=2 * (number > 4) * (number % 2))
    for number in range(5):
        folder(f"own-{number}", number, way=1, length=5)
        folder(f"no-tokenizer-{number}", number, (tokenizer, erase, b""), (words, erase, b""))
        folder(
            f"nan-{number}", number, (weights, overwrite, b"\0\x10\0" + b"\0\0\xc0\x7f" * 4), way=2
        )
    folder("wide", bf16, (config, patch, {"hidden_size": 16}))
    folder("short", bf16, (config, patch, {"max_position_embeddings": 4}))
    folder(
        "heads",
        bf16,
        (config, patch, {"num_attention_heads": 8, "hidden_act": "relu", "pad_token_id": 7}),
    )
    folder("roberta", bf16, (config, patch, {"model_type": "roberta"}))
    folder(
        "transposed",
        bf16,
        (weights, patch, {"embeddings.word_embeddings.weight": {"shape": [8, 121]}}),
    )
    folder(
        "float16", bf16, (weights, patch, {"embeddings.word_embeddings.weight": {"dtype": "F16"}})
    )
    folder("cut", bf16, (weights, cut, b"\0\x12\0"))
    folder("fewer-words", bf16, (words, cut, b"\0\0\x40"))
    folder(
        "both",
        roberta,
        (words, whole, b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\n"),
        (tokenizer, copy, bytes([codes])),
    )
    folder(
        "added",
        roberta,
        (added, whole, b"{\"<new>\": 7}"),
        (settings, patch, {"add_prefix_space": True}),
    )
    folder("merges", roberta, (merges, splice, b"\0\0\x10\x05x y\n"))
    folder("tokens", sharded, (tokenizer, patch, {"added_tokens": [], "post_processor": None}))
    folder(
        "truncation",
        st,
        (
            tokenizer,
            patch,
            {
                "truncation": {
                    "max_length": 3,
                    "strategy": "LongestFirst",
                    "stride": 0,
                    "direction": "Right",
                }
            },
        ),
    )
    folder("no-dense", old, (modules, patch, {"2": None}), way=1)
    folder(
        "dense-twice",
        old,
        (modules, patch, {"3": {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}}),
        way=1,
    )
    folder(
        "dense-act",
        old,
        (dense, patch, {"activation_function": "torch.nn.modules.linear.Identity", "bias": False}),
        way=1,
    )
    folder("pooling", st, (pooling, patch, {"pooling_mode_max_tokens": True}), way=1)
    folder(
        "prompts",
        st,
        (prompts, patch, {"prompts": {"query": "find: "}, "default_prompt_name": "query"}),
        (sentence, patch, {"max_seq_length": 3}),
        way=1,
    )
    folder("no-tokenizer-5", unigram, (tokenizer, erase, b""))
    folder(
        "model-of-another",
        sentencepiece,
        (settings, patch, {"tokenizer_class": "CamembertTokenizer"}),
    )
    folder("model-cut", sentencepiece, (model, cut, b"\0\x10\0"))
    folder(
        "no-unknown",
        unigram,
        (tokenizer, patch, {"model": {"type": "Unigram", "vocab": [["a", -1]]}}),
    )
    folder("no-bytes", gemma, (tokenizer, patch, {"normalizer": None, "pre_tokenizer": None}))
    folder("no-end", qwen, (tokenizer, patch, {"post_processor": None}))


def newer_folders(seed):
    """Inputs of static_folder, adapter and reranker_folder: as those of model_folder, with files of
    their own."""
    patch, splice, overwrite, cut, whole, erase, copy = range(7)

    def parts(edits):
        return [
            bytes([file, kind])
            + (json.dumps(what).encode() if isinstance(what, (dict, list)) else what)
            for file, kind, what in edits
        ]

    config, weights, modules, tokenizer, normalize, dense = range(6)
    for number in range(3):
        seed("static_folder", f"good-{number}", bytes([number, number, 9 * (number == 1)]))
        seed("static_folder", f"plain-{number}", bytes([number]), *parts([(modules, erase, b"")]))
        seed(
            "static_folder",
            f"nan-{number}",
            bytes([number, 2]),
            *parts([(weights, overwrite, b"\0\5\xc8" + b"\0\0\xc0\x7f" * 4)]),
        )
    tables = {
        "wide": {"embeddings": {"shape": [1, 84]}},
        "bytes": {"embeddings": {"dtype": "I8", "shape": [12, 14]}},
        "short": {"mapping": {"dtype": "I32", "shape": [242]}},
        "no-weights": {"weights": None},
        "no-mapping": {"mapping": None},
        "matrix": {"mapping": {"shape": [11, 11]}},
        "other-name": {
            "embeddings": None,
            "embedding.weight": {"dtype": "F16", "shape": [7, 12], "data_offsets": [1452, 1620]},
        },
    }
    for name, value in tables.items():
        seed("static_folder", name, bytes([1]), *parts([(weights, patch, value)]))
    seed("static_folder", "length", bytes([0]), *parts([(config, patch, {"max_length": 3})]))
    seed("static_folder", "no-length", bytes([0]), *parts([(config, patch, {"max_length": -1})]))
    seed(
        "static_folder",
        "mapping-out",
        bytes([1]),
        *parts([(weights, overwrite, b"\0\1\0" + b"\xff" * 8)]),
    )
    seed(
        "static_folder",
        "unknown",
        bytes([0]),
        *parts([(tokenizer, patch, {"model": {"unk_token": "none"}})]),
    )
    seed(
        "static_folder",
        "dense",
        bytes([2]),
        *parts(
            [
                (
                    modules,
                    patch,
                    {
                        "1": {
                            "idx": 1,
                            "name": "1",
                            "path": "1_Dense",
                            "type": "sentence_transformers.models.Dense",
                        }
                    },
                ),
                (dense, whole, {"in_features": 12, "out_features": 4}),
            ]
        ),
    )

    config, weights = range(2)
    name = "base_model.model.encoder.layer.0.attention.self.query.lora_A.weight"
    seed("adapter", "good", b"")
    keys = [
        {"r": 1},
        {"r": 2**40},
        {"lora_alpha": 1e300},
        {"lora_alpha": -3.5},
        {"use_rslora": True},
        {"use_dora": True},
        {"bias": "all"},
        {"peft_type": "IA3"},
        {"rank_pattern": {"query": 2}},
        {"alpha_pattern": {"query": 2}},
        {"modules_to_save": ["pooler"]},
        {"init_lora_weights": "pissa"},
        {"base_model_name_or_path": "\u0000\ud83d\ude00"},
        {"lora_dropout": 1},
        {"fan_in_fan_out": True},
        {"new_key": {"a": []}},
        {"lora_alpha": None},
    ]
    for i, value in enumerate(keys):
        seed("adapter", f"key-{i:02}", b"", *parts([(config, patch, value)]))
    headers = [
        {name: None},
        {name: {"dtype": "I32"}},
        {name: {"shape": [1, 16]}},
        {"__metadata__": {"contrastive.base_sha256": "0" * 64}},
        {
            name: None,
            name.replace("lora_A", "lora_embedding_A"): {
                "dtype": "F32",
                "shape": [2, 8],
                "data_offsets": [0, 64],
            },
        },
    ]
    for i, value in enumerate(headers):
        seed("adapter", f"header-{i}", b"", *parts([(weights, patch, value)]))
    seed("adapter", "nan", b"", *parts([(weights, overwrite, b"\0\x10\0" + b"\0\0\xc0\x7f" * 4)]))
    seed(
        "adapter",
        "large",
        b"",
        *parts([(weights, overwrite, b"\0\x10\0" + b"\xff\xff\x7f\x7f" * 16)]),
    )
    seed("adapter", "cut", b"", *parts([(weights, cut, b"\0\x10\0")]))
    seed("adapter", "none", b"", *parts([(weights, erase, b"")]))

    config, weights, prompts, modules = range(4)
    for number in range(10):
        seed("reranker_folder", f"good-{number}", bytes([number, number % 4, 8 * (number % 2)]))
        seed(
            "reranker_folder",
            f"nan-{number}",
            bytes([number]),
            *parts([(weights, overwrite, b"\0\x40\0" + b"\0\0\xc0\x7f" * 4)]),
        )
    keys = [
        {"id2label": {"0": "a", "1": "b"}},
        {"id2label": {}},
        {"id2label": None, "num_labels": 3},
        {"id2label": {"1": "a"}},
        {"id2label": ["a"]},
        {"sentence_transformers": {"activation_fn": "torch.nn.Sigmoid"}},
        {"sentence_transformers": {"activation_fn": "os.system"}},
        {"sentence_transformers": 3},
        {"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"},
        {"id2label": {"0": "\u0000"}},
        {"classifier_pooling": "mean"},
        {"classifier_activation": "silu"},
        {"classifier_bias": True, "norm_bias": True},
    ]
    for i, value in enumerate(keys):
        for number in (0, 5):
            seed(
                "reranker_folder",
                f"key-{i:02}-{number}",
                bytes([number]),
                *parts([(config, patch, value)]),
            )
    seed(
        "reranker_folder",
        "no-head",
        bytes([0]),
        *parts([(weights, patch, {"classifier.weight": None})]),
    )
    seed(
        "reranker_folder",
        "head-shape",
        bytes([0]),
        *parts([(weights, patch, {"classifier.weight": {"shape": [8, 1]}})]),
    )
    seed(
        "reranker_folder",
        "activation",
        bytes([2]),
        *parts([(prompts, patch, {"activation_fn": "torch.nn.modules.activation.GELU"})]),
    )
    seed(
        "reranker_folder",
        "encoder",
        bytes([2]),
        *parts([(prompts, patch, {"model_type": "SentenceTransformer"})]),
    )
    seed(
        "reranker_folder",
        "pooling",
        bytes([2]),
        *parts(
            [
                (
                    modules,
                    patch,
                    {"1": {"path": "", "type": "sentence_transformers.models.Normalize"}},
                )
            ]
        ),
    )
