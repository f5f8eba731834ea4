"""Model folders with random options, written by Python's own save_pretrained.

`draw(rng)` chooses the options, `build(options, folder)` writes the folder. Every encoder is tiny
and has random weights. The vocabulary is trained on TEXTS. An option that no library reads would
prove nothing: each one here is a parameter of a tokenizer class of transformers, of a module of
sentence-transformers, or of peft's LoraConfig.
"""

import json
from pathlib import Path

import peft
import tokenizers
import torch
import transformers
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.sentence_transformer import modules
from sentence_transformers.base.modules import Transformer, Dense, Normalize
from tokenizers import models, normalizers, pre_tokenizers, trainers

TEXTS = [
    "a dog",
    "The cat sat on the MAT.",
    "",
    "one two three four five six seven eight nine ten " * 6,
    "Élan vital, naïve café",
    "東京は日本の首都です",
    "Привет, мир",
    "مرحبا بالعالم",
    "emoji 😀 and 👩‍👩‍👧",
    "[CLS] a [MASK] b [SEP]",
    "<s> a <mask> b </s>",
    "a <q> question",
    "xfoobar foobar  foobarx",
    "  spaces   and\ttabs\n",
    "ǅ ﬁ İ ß",
    "A.B.C. don't won't 1,234.5",
    "[doc]title[doc] body",
]
CORPUS = (
    TEXTS + ["query: what is a dog?", "passage: a dog is an animal", "search_document: title"] * 3
)
PROMPTS = {
    "query": "query: ",
    "document": "search_document: title | ",
    "long": "one two three four five six seven eight " * 4,
    "none": "",
}


def word_pieces(special):
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(
        CORPUS + [text.lower() for text in CORPUS],
        trainers.WordPieceTrainer(vocab_size=400, special_tokens=special),
    )
    return tokenizer.get_vocab()


def byte_pairs(special):
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(vocab_size=420, special_tokens=special, initial_alphabet=alphabet),
    )
    model = json.loads(tokenizer.to_str())["model"]
    return {"vocab": model["vocab"], "merges": [tuple(merge) for merge in model["merges"]]}


def gemma_pairs():
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"] + [
        f"<0x{byte:02X}>" for byte in range(256)
    ]
    tokenizer = tokenizers.Tokenizer(
        models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    )
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=520, special_tokens=special)
    )
    model = json.loads(tokenizer.to_str())["model"]
    return {"vocab": model["vocab"], "merges": [tuple(merge) for merge in model["merges"]]}


def unigram(special, unknown):
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        CORPUS, trainers.UnigramTrainer(vocab_size=300, special_tokens=special, unk_token=unknown)
    )
    return {"vocab": [tuple(row) for row in json.loads(tokenizer.to_str())["model"]["vocab"]]}


BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCABULARIES = {
    "bert": lambda: {"vocab": word_pieces(BERT_SPECIAL)},
    "mpnet": lambda: {"vocab": word_pieces(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"])},
    "roberta": lambda: byte_pairs(["<s>", "<pad>", "</s>", "<unk>", "<mask>"]),
    "qwen": lambda: byte_pairs(["<|endoftext|>", "<|im_start|>"]),
    "gemma": gemma_pairs,
    "xlm-roberta": lambda: unigram(["<s>", "<pad>", "</s>", "<unk>", "<mask>"], "<unk>"),
    "t5": lambda: unigram(["<pad>", "</s>", "<unk>"], "<unk>"),
    "albert": lambda: unigram(["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"], "<unk>"),
}
CLASSES = {
    "bert": "BertTokenizer",
    "mpnet": "MPNetTokenizer",
    "roberta": "RobertaTokenizer",
    "qwen": "Qwen2Tokenizer",
    "gemma": "GemmaTokenizer",
    "xlm-roberta": "XLMRobertaTokenizer",
    "t5": "T5Tokenizer",
    "albert": "AlbertTokenizer",
}

SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 130,
}
ROPE_SIZES = {**SIZES, "num_key_value_heads": 1, "head_dim": 8}
# Family: the tokenizers that go with it, and its sizes.
FAMILIES = {
    "bert": (["bert"], SIZES),
    "electra": (["bert"], {**SIZES, "embedding_size": 16}),
    "ernie": (["bert"], SIZES),
    "nomic_bert": (["bert"], SIZES),
    "distilbert": (
        ["bert"],
        {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24, "max_position_embeddings": 130},
    ),
    "mpnet": (["mpnet"], SIZES),
    "roberta": (["roberta"], SIZES),
    "modernbert": (["roberta", "bert"], SIZES),
    "xlm-roberta": (["xlm-roberta"], SIZES),
    "gte": (["xlm-roberta", "bert"], SIZES),
    "albert": (["albert"], {**SIZES, "embedding_size": 8}),
    "qwen3": (["qwen"], ROPE_SIZES),
    "gemma3_text": (["gemma"], {**ROPE_SIZES, "sliding_window": 8}),
    "t5": (["t5"], {"d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 2, "num_heads": 2}),
}
RERANKERS = [
    "bert",
    "electra",
    "distilbert",
    "mpnet",
    "roberta",
    "modernbert",
    "xlm-roberta",
    "albert",
]
POOLINGS = ["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
ACTIVATIONS = [torch.nn.Tanh, torch.nn.Identity, torch.nn.ReLU, torch.nn.GELU, torch.nn.Sigmoid]


def draw_tokenizer(rng, kind):
    def maybe(chance, value):
        return rng.choice(value) if rng.random() < chance else None

    options = {
        "truncation_side": maybe(0.4, ["left", "right"]),
        "padding_side": maybe(0.3, ["left", "right"]),
        "model_max_length": maybe(0.6, [9, 24, 60]),
        "clean_up_tokenization_spaces": maybe(0.2, [True, False]),
        "extra_special_tokens": maybe(0.3, [["<q>"], ["<q>", "[doc]"]]),
        "split_special_tokens": maybe(0.1, [True]),
    }
    if kind in ("bert", "mpnet", "albert"):
        options["do_lower_case"] = maybe(0.6, [True, False])
    if kind in ("bert", "mpnet"):
        options["strip_accents"] = maybe(0.4, [True, False])
        options["tokenize_chinese_chars"] = maybe(0.4, [True, False])
    if kind in ("roberta", "xlm-roberta", "albert"):
        options["add_prefix_space"] = maybe(0.5, [True, False])
    if kind == "albert":
        options["keep_accents"] = maybe(0.5, [True, False])
    if kind in ("bert", "mpnet", "roberta"):
        options["sep_token"] = maybe(0.1, ["<q>"])
    added = []
    if rng.random() < 0.35:
        added.append(
            {
                "content": "foobar",
                "single_word": rng.random() < 0.5,
                "lstrip": rng.random() < 0.3,
                "rstrip": rng.random() < 0.3,
                "normalized": rng.random() < 0.5,
                "special": rng.random() < 0.3,
            }
        )
    return {key: value for key, value in options.items() if value is not None}, added


def draw(rng):
    """The options of one folder, as JSON-like data."""
    reranker = rng.random() < 0.2
    family = rng.choice(RERANKERS if reranker else sorted(FAMILIES))
    kind = rng.choice(FAMILIES[family][0])
    tokenizer, added = draw_tokenizer(rng, kind)
    options = {
        "family": family,
        "kind": kind,
        "tokenizer": tokenizer,
        "added": added,
        "seed": rng.randrange(1 << 30),
        "dtype": rng.choice(["float32"] * 4 + ["bfloat16", "float16"]),
        "reranker": reranker,
        "spare_rows": rng.choice([0, 3]),
    }
    if rng.random() < 0.5:
        options["prompts"] = {
            name: PROMPTS[name] for name in rng.sample(sorted(PROMPTS), rng.randint(1, 4))
        }
        if rng.random() < 0.4:
            options["default_prompt_name"] = rng.choice(sorted(options["prompts"]))
    if rng.random() < 0.4:
        options["max_seq_length"] = rng.choice([7, 20, 64])
    if rng.random() < 0.2:
        options["adapter"] = {
            "r": rng.choice([1, 4]),
            "lora_alpha": rng.choice([2, 8]),
            "use_rslora": rng.random() < 0.3,
        }
    if reranker:
        options["num_labels"] = rng.choice([1, 1, 3])
        options["activation"] = rng.choice([None, "Identity", "Sigmoid", "Tanh"])
        return options
    if rng.random() < 0.15:
        options["do_lower_case"] = True
    options["pooling"] = rng.sample(POOLINGS, rng.choice([1, 1, 1, 2]))
    options["include_prompt"] = rng.random() < 0.7
    layers = []
    if rng.random() < 0.3:
        layers.append(["Dropout"])
    if rng.random() < 0.05:
        layers.append(["LayerNorm"])
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        layers.append(
            ["Dense", rng.choice([8, 24]), rng.random() < 0.7, rng.randrange(len(ACTIVATIONS))]
        )
    if rng.random() < 0.5:
        layers.insert(
            rng.choice([len(layers), len(layers), rng.randint(0, len(layers))]), ["Normalize"]
        )
    options["modules"] = layers
    if rng.random() < 0.2:
        options["truncate_dim"] = rng.choice([4, 8])
    if rng.random() < 0.4:
        options["similarity"] = rng.choice(["cosine", "dot", "euclidean", "manhattan"])
    if rng.random() < 0.15:
        options["processing_kwargs"] = {"text": {"max_length": rng.choice([6, 15])}}
    return options


def write_encoder(options, folder):
    """The encoder and its tokenizer, as transformers saves them."""
    kind, sizes = options["kind"], FAMILIES[options["family"]][1]
    tokenizer = getattr(transformers, CLASSES[kind])(**VOCABULARIES[kind](), **options["tokenizer"])
    for row in options["added"]:
        tokenizer.add_tokens([transformers.AddedToken(**row)], special_tokens=row["special"])
    ids = {
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
    }
    labels = {"num_labels": options["num_labels"]} if options["reranker"] else {}
    config = transformers.AutoConfig.for_model(
        options["family"],
        **sizes,
        **ids,
        **labels,
        vocab_size=len(tokenizer) + options["spare_rows"],
    )
    auto = (
        transformers.AutoModelForSequenceClassification
        if options["reranker"]
        else transformers.AutoModel
    )
    torch.manual_seed(options["seed"])
    encoder = (
        transformers.T5EncoderModel(config)
        if options["family"] == "t5"
        else auto.from_config(config)
    )
    encoder = encoder.float()
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            noise = torch.randn_like(parameter) * 0.25
            parameter.copy_(
                1 + noise if parameter.dim() == 1 and name.endswith("weight") else noise
            )
    encoder.to(getattr(torch, options["dtype"])).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def add_adapter(options, folder):
    """An adapter in a folder with the full weights, as peft saves it."""
    loader = (
        transformers.AutoModelForSequenceClassification
        if options["reranker"]
        else (transformers.T5EncoderModel if options["family"] == "t5" else transformers.AutoModel)
    )
    encoder = loader.from_pretrained(folder, dtype=torch.float32)
    linear = sorted(
        {
            name.split(".")[-1]
            for name, module in encoder.named_modules()
            if isinstance(module, torch.nn.Linear)
            and "pooler" not in name
            and "classif" not in name
            and "out_proj" not in name
        }
    )
    adapted = peft.get_peft_model(
        encoder,
        peft.LoraConfig(
            target_modules=linear[: 1 + options["seed"] % len(linear)], **options["adapter"]
        ),
    )
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:
                parameter.copy_(torch.randn_like(parameter) * 0.2)
    adapted.save_pretrained(folder)


def module(layer, width):
    """The module of a row of options["modules"], and the width behind it."""
    if layer[0] == "Dense":
        return Dense(
            width, layer[1], bias=layer[2], activation_function=ACTIVATIONS[layer[3]]()
        ), layer[1]
    if layer[0] == "LayerNorm":
        norm = modules.LayerNorm(width)
        with torch.no_grad():
            for parameter in norm.parameters():
                parameter.add_(torch.randn_like(parameter) * 0.2)
        return norm, width
    return (modules.Dropout(0.3) if layer[0] == "Dropout" else Normalize()), width


def build(options, folder):
    """Writes the folder, and leaves `folder`-encoder next to it."""
    encoder = Path(f"{folder}-encoder")
    write_encoder(options, encoder)
    named = {
        "prompts": options.get("prompts"),
        "default_prompt_name": options.get("default_prompt_name"),
        "device": "cpu",
    }
    if options["reranker"]:
        activation = (
            {"activation_fn": getattr(torch.nn, options["activation"])()}
            if options["activation"]
            else {}
        )
        CrossEncoder(
            str(encoder), max_length=options.get("max_seq_length"), **activation, **named
        ).save_pretrained(str(folder))
    else:
        transformer = Transformer(
            str(encoder),
            max_seq_length=options.get("max_seq_length"),
            do_lower_case=options.get("do_lower_case", False),
            processing_kwargs=options.get("processing_kwargs"),
            model_kwargs={"dtype": getattr(torch, options["dtype"])},
        )
        width = transformer.get_embedding_dimension()
        chain = [
            transformer,
            modules.Pooling(
                width, pooling_mode=options["pooling"], include_prompt=options["include_prompt"]
            ),
        ]
        width *= len(options["pooling"])
        for layer in options["modules"]:
            made, width = module(layer, width)
            chain.append(made)
        SentenceTransformer(
            modules=chain,
            truncate_dim=options.get("truncate_dim"),
            similarity_fn_name=options.get("similarity"),
            **named,
        ).save_pretrained(str(folder))
    if "adapter" in options:
        add_adapter(options, folder)
