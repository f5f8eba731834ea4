"""Writes cases.json: what every language's package must compute and refuse. Needs tokenizers,
transformers, sentence-transformers, torch and sentencepiece.

    python3 make_cases.py [LOSSES]      LOSSES: what the C runner prints on standard error; without
                                        it the losses of cases.json stay

Ids come from Hugging Face's tokenizers and embeddings from sentence-transformers and transformers,
so a case does not repeat what the library says of itself. The losses after training are the
library's own: the tests of the methods hold their arithmetic to the papers.
"""

import json
import re
import sys
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer
from transformers import AutoModel, AutoTokenizer

HERE = Path(__file__).parent
FIXTURES = HERE.parent / "fixtures"
# One for each kind of tokenizer: WordPiece, byte-level BPE, Unigram of a tokenizer.json and of a
# SentencePiece model alone, BPE of characters that falls back to bytes, and byte-level BPE behind
# an expression of its own.
MODELS = {
    "bert": {"folder": "models/bert_st", "config": {}},
    "roberta": {"folder": "models/roberta_hf", "config": {"pooling": "cls"}},
    "strict": {"folder": "models/bert_st", "config": {"invalid_utf8": "error"}},
    "unigram": {"folder": "kinds/unigram", "config": {"pooling": "mean"}},
    "sentencepiece": {"folder": "kinds/sentencepiece", "config": {"pooling": "cls"}},
    "gemma_bpe": {"folder": "kinds/gemma_bpe", "config": {"pooling": "mean"}},
    "qwen_bpe": {"folder": "kinds/qwen_bpe", "config": {"pooling": "lasttoken"}},
}
TEXTS = {
    "ascii": {"text": "The cat sat, unbelievably, on the old house."},
    "composed": {"text": "caf\u00e9 na\u00efve \u00c5ngstr\u00f6m \u1ed9"},
    "decomposed": {"text": "cafe\u0301 nai\u0308ve A\u030angstro\u0308m o\u0323\u0302"},
    "cjk": {
        "text": "\u4eca\u5929\u5929\u6c14\u5f88\u597d\u3002\u6771\u4eac\u30bf\u30ef\u30fc "
        "\ud55c\uad6d\uc5b4"
    },
    "right-to-left": {
        "text": "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd \u202e abc "
        "\u0645\u0631\u062d\u0628\u0627"
    },
    "scripts": {
        "text": "\u0421\u044a\u0435\u0448\u044c \u0435\u0449\u0451. \u039f\u0394\u039f\u03a3 "
        "\u039b\u03cc\u03b3\u03bf\u03c2"
        " \u0939\u093f\u0928\u094d\u0926\u0940 \u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 "
        "\u10e5\u10d0\u10e0 \u0645\u0631\u062d\u0628\u0627 123,456"
    },
    "compatible": {
        "text": "\ufb01ne \u00bd \uff21\uff22 \u2460 \u3000wide\u00a0space  two\u2581blank"
    },
    "specials": {"text": "<s> a <mask> </s>[MASK]x [SEP]<bos> <eos><|endoftext|> <0x41> <unk>"},
    "emoji": {
        "text": "\U0001f600 family \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 "
        "flag \U0001f1e9\U0001f1ea \u2764\ufe0f"
    },
    "nul": {"text": "the\x00cat \x00 sat"},
    "only-nul": {"text": "\x00"},
    "invalid": {"hex": "61fffe20746865c080f5"},
    "cut-sequence": {"hex": "656e6420f09f98"},
    "surrogates": {"hex": "eda080207468652020edb080"},
    "control": {"text": "a\u200bb\u00adc\tg\r\nh\x7f\ufeff"},
    "empty": {"text": ""},
    "space": {"text": "   "},
    "long-word": {"text": "a", "times": 5000},
    "very-long": {"text": "the cat sat ", "times": 100000},
    "unpaired": {"hex": "74686520ff636174", "utf16": "0074006800650020d83d006300610074"},
}
PAIRS = [
    ["the cat sat", "a cat sits"],
    ["a dog runs", "the dog ran"],
    ["two birds fly", "birds in the air"],
    ["the old house", "a very old house"],
    ["red and blue", "blue and red"],
    ["one man walks", "a man is walking"],
    ["she eats fish", "fish is eaten"],
    ["it is closed", "closed today"],
]
DATA = {
    "pairs": PAIRS,
    "texts": [[text] for pair in PAIRS for text in pair],
    "triplets": [[a, b, PAIRS[(i + 3) % 8][1]] for i, (a, b) in enumerate(PAIRS)],
}
COMMON = {"seed": 7, "max_steps": 20, "lr": 0.001, "optimizer": "adamw"}
THROUGH = {"step": {"batch_size": 4, "epochs": 100}, "batch": {}}
METHODS = {
    "clsr": ("pairs", {"clsr.hidden": 24, "clsr.dimension": 16}),
    "consert": ("texts", {}),
    "clear": ("texts", {"clear.head_dim": 24, "clear.blocks": False}),
    "sgopt": ("texts", {"sgopt.head_width": 24}),
    "simcse": ("texts", {}),
    "mnrl": ("triplets", {}),
}


def text_of(spec):
    if "hex" in spec:
        return bytes.fromhex(spec["hex"]).decode("utf-8", errors="replace")
    return spec["text"] * spec.get("times", 1)


def encoders():
    """For each model: its tokenizer, how many tokens it embeds, and texts -> embeddings."""
    bert = SentenceTransformer(str(FIXTURES / MODELS["bert"]["folder"]), device="cpu")
    yield (
        "bert",
        bert.tokenizer,
        bert.max_seq_length,
        lambda texts: bert.encode(texts, batch_size=1, convert_to_tensor=True),
    )
    tokenizer = AutoTokenizer.from_pretrained(FIXTURES / MODELS["roberta"]["folder"])
    model = AutoModel.from_pretrained(FIXTURES / MODELS["roberta"]["folder"]).eval()
    limit = model.config.max_position_embeddings - model.config.pad_token_id - 1
    yield "roberta", tokenizer, limit, pooled("roberta", model, tokenizer, limit)
    for name in ("unigram", "sentencepiece", "gemma_bpe", "qwen_bpe"):
        folder = FIXTURES / MODELS[name]["folder"]
        model, tokenizer = (
            AutoModel.from_pretrained(folder).eval(),
            AutoTokenizer.from_pretrained(folder),
        )
        limit = json.loads((folder / "tokenizer_config.json").read_text())["model_max_length"]
        yield name, tokenizer, limit, pooled(name, model, tokenizer, limit)


def pooled(name, model, tokenizer, limit):
    pooling = MODELS[name]["config"]["pooling"]

    def encode(texts):
        rows = []
        for text in texts:
            ids = torch.tensor([tokenizer(text, truncation=True, max_length=limit)["input_ids"]])
            with torch.no_grad():
                states = model(
                    input_ids=ids, attention_mask=torch.ones_like(ids)
                ).last_hidden_state[0]
            rows.append(
                {"cls": states[0], "mean": states.mean(0), "lasttoken": states[-1]}[pooling]
            )
        return torch.stack(rows)

    return encode


def tokens(spec, tokenizer, limit):
    """The ids, and the place of each in characters where the text is well-formed."""
    encoding = tokenizer(
        text_of(spec),
        truncation=True,
        max_length=limit,
        return_offsets_mapping=True,
        return_special_tokens_mask=True,
    )
    found = {"ids": encoding["input_ids"]}
    if "hex" not in spec:
        places = [
            (-1, -1) if special else place
            for place, special in zip(encoding["offset_mapping"], encoding["special_tokens_mask"])
        ]
        found |= {"begins": [begin for begin, _ in places], "ends": [end for _, end in places]}
    return found


def computed():
    for name, tokenizer, limit, encode in encoders():
        embeddings = encode([text_of(spec) for spec in TEXTS.values()])
        starts = [[round(float(value), 7) for value in row[:4]] for row in embeddings]
        for start, (text, spec) in zip(starts, TEXTS.items()):
            yield {
                "name": f"tokenize/{name}/{text}",
                "kind": "tokenize",
                "model": name,
                "text": text,
                **tokens(spec, tokenizer, limit),
            }
            if name in ("bert", "roberta"):
                yield {
                    "name": f"encode/{name}/{text}",
                    "kind": "encode",
                    "model": name,
                    "texts": [text],
                    "starts": [start],
                }
        for kind in ("encode", "save"):
            yield {
                "name": f"{kind}/{name}/together",
                "kind": kind,
                "model": name,
                "texts": list(TEXTS),
                "starts": starts,
            }


def refused():
    def error(name, call, status, message, **arguments):
        return {
            "name": f"error/{name}",
            "kind": "error",
            "call": call,
            "status": status,
            "message": message,
            **arguments,
        }

    yield error(
        "load-nowhere",
        "load",
        "NOT_FOUND",
        "no_such_folder",
        folder="models/no_such_folder",
        config={},
    )
    yield error(
        "load-without-pooling", "load", "ARGUMENT", "pooling", folder="models/roberta_hf", config={}
    )
    yield error(
        "load-misspelt-key",
        "load",
        "ARGUMENT",
        "pooling",
        folder="models/bert_st",
        config={"poolin": "mean"},
    )
    yield error(
        "load-no-such-device",
        "load",
        "ARGUMENT",
        "device",
        folder="models/bert_st",
        config={"device": "abacus"},
    )
    yield error("parse-cut", "parse", "FORMAT", "", json="{\"seed\": ")
    yield error("parse-list", "parse", "FORMAT", "", json="[1]")
    yield error("describe-misspelt", "describe", "ARGUMENT", "clsr", topic="clrs")
    yield error("pooling-misspelt", "encode", "ARGUMENT", "mean", pooling="maen", truncate_dim=0)
    yield error("truncate-dim-negative", "encode", "ARGUMENT", "", pooling="mean", truncate_dim=-1)
    yield error(
        "truncate-dim-too-large", "encode", "ARGUMENT", "", pooling="mean", truncate_dim=4096
    )
    yield error("tokenize-no-room", "tokenize", "ARGUMENT", "", max_length=1)
    yield error(
        "open-nowhere",
        "open_dataset",
        "NOT_FOUND",
        "no_such_file.tsv",
        file="no_such_file.tsv",
        config={},
    )
    yield error(
        "open-broken-line", "open_dataset", "FORMAT", "broken.tsv:3", file="broken.tsv", config={}
    )
    yield error(
        "open-misspelt-key",
        "open_dataset",
        "ARGUMENT",
        "data.format",
        file="broken.tsv",
        config={"data.fromat": "tsv"},
    )
    yield error("train-no-method", "trainer", "ARGUMENT", "method", data="pairs", config={})
    yield error(
        "train-misspelt-method",
        "trainer",
        "ARGUMENT",
        "clsr",
        data="pairs",
        config={"method": "clrs"},
    )
    yield error(
        "train-misspelt-key",
        "trainer",
        "ARGUMENT",
        "batch_size",
        data="pairs",
        config={"method": "clsr", "bach_size": 4},
    )
    yield error(
        "train-out-of-range",
        "trainer",
        "ARGUMENT",
        "lr",
        data="pairs",
        config={"method": "clsr", "lr": -1},
    )
    yield error(
        "train-texts-as-pairs",
        "trainer",
        "ARGUMENT",
        "pairs",
        data="texts",
        config={"method": "mnrl", "max_steps": 1},
    )
    yield error(
        "step-without-data",
        "step_without_data",
        "STATE",
        "",
        config={"method": "clsr", "max_steps": 1},
    )
    yield error(
        "evaluate-misspelt",
        "evaluate",
        "ARGUMENT",
        "sts",
        task="sst",
        config={"data": "broken.tsv"},
    )
    yield error("evaluate-no-data", "evaluate", "ARGUMENT", "data", task="sts", config={})
    yield error("search-none", "search", "ARGUMENT", "k is 0", k=0)
    yield error("calibrate-nan", "calibrate_nan", "NUMERIC", "")
    yield error(
        "invalid-utf8-encode",
        "encode_text",
        "FORMAT",
        "texts[0] is not valid UTF-8 at byte 4",
        model="strict",
        text="unpaired",
    )
    yield error(
        "invalid-utf8-tokenize",
        "tokenize_text",
        "FORMAT",
        "is not valid UTF-8 at byte 4",
        model="strict",
        text="unpaired",
    )
    yield error(
        "create-without-tokenizer",
        "create",
        "ARGUMENT",
        "tokenizer",
        config={"layers": 1, "pooling": "mean"},
    )


def trained(losses):
    for method, (data, more) in METHODS.items():
        for through, own in THROUGH.items():
            name = f"train/{method}/{through}"
            case = {
                "name": name,
                "kind": "train",
                "model": "bert",
                "data": data,
                "through": through,
                "steps": 20,
                "config": {"method": method, **COMMON, **own, **more},
            }
            if name in losses:
                case["loss"] = losses[name]
            yield case


def known_losses(argv):
    if len(argv) > 1:
        found = re.findall(
            r"^(train/\S+) loss (\S+)$", Path(argv[1]).read_text(), flags=re.MULTILINE
        )
        return {name: float(loss) for name, loss in found}
    if not (HERE / "cases.json").exists():
        return {}
    return {
        case["name"]: case["loss"]
        for case in json.loads((HERE / "cases.json").read_text())["cases"]
        if "loss" in case
    }


def main():
    cases = [*computed(), *refused(), *trained(known_losses(sys.argv))]
    lines = ",\n    ".join(json.dumps(case) for case in cases)
    head = {"models": MODELS, "texts": TEXTS, "data": DATA}
    parts = [f'  {json.dumps(key)}: {json.dumps(value)}' for key, value in head.items()]
    (HERE / "cases.json").write_text(
        "{\n" + ",\n".join(parts) + f',\n  "cases": [\n    {lines}\n  ]\n}}\n'
    )


if __name__ == "__main__":
    main()
