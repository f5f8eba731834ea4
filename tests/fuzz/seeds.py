#!/usr/bin/env python3
"""Makes the seeds of the corpus from tests/fixtures: tests/fuzz/corpus/TARGET/seed-NAME.

    seeds.py            writes them again; what the fuzzers found (other names) stays

Well-formed files first, so that mutations begin behind the first checks; then malformed ones of
every kind that the unit tests know.
"""

import gzip
import io
import json
import shutil
import struct
import zipfile
from pathlib import Path

import folder_seeds
import pipeline_seeds

TESTS = Path(__file__).resolve().parents[1]
FIXTURES = TESTS / "fixtures"
MODELS = FIXTURES / "models"
CORPUS = TESTS / "fuzz" / "corpus"
BETWEEN = b"\n%%\n"


def seed(target, name, *parts):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    data = BETWEEN.join(part.encode() if isinstance(part, str) else part for part in parts)
    (folder / f"seed-{name}").write_bytes(data)


def read(name):
    return (MODELS / name).read_bytes()


def safetensors(header, data=b""):
    text = (
        header
        if isinstance(header, bytes)
        else (header if isinstance(header, str) else json.dumps(header)).encode()
    )
    return struct.pack("<Q", len(text)) + text + data


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors_seeds():
    every = {
        "F32": 4,
        "F16": 2,
        "BF16": 2,
        "F64": 8,
        "I64": 8,
        "I32": 4,
        "I16": 2,
        "I8": 1,
        "U64": 8,
        "U32": 4,
        "U16": 2,
        "U8": 1,
        "BOOL": 1,
    }
    seed("safetensors", "small", read("bert_bf16/model.safetensors"))
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for dtype, size in every.items():
        header[dtype.lower()] = tensor(dtype, [2, 1], at, at + 2 * size)
        at += 2 * size
    headers = {
        "every-type": header,
        "floats": {
            "a": tensor("F32", [2], 0, 8),
            "b": tensor("F16", [2, 3], 8, 20),
            "c": tensor("I64", [1], 20, 28),
        },
        "empty": {},
        "scalar": {"a": tensor("F32", [], 0, 4)},
        "no-elements": {"a": tensor("F32", [0, 5], 0, 0), "b": tensor("F32", [1], 0, 4)},
        "huge-of-nothing": {"a": tensor("F32", [0, 2**62, 2**62], 0, 0)},
        "overlap": {"a": tensor("F32", [2], 0, 8), "b": tensor("F32", [2], 4, 12)},
        "hole": {"a": tensor("F32", [1], 0, 4), "b": tensor("F32", [1], 8, 12)},
        "backwards": {"a": tensor("F32", [1], 4, 0)},
        "wraps": {"a": tensor("F32", [2**62, 4], 0, 0)},
        "negative": {"a": tensor("F32", [-1], 0, 4)},
        "unknown-type": {"a": tensor("F8_E4M3", [1], 0, 1)},
        "metadata-of-numbers": {"__metadata__": {"a": 1}},
    }
    for name, value in headers.items():
        length = max([0] + [t["data_offsets"][1] for k, t in value.items() if k != "__metadata__"])
        data = bytes(range(length))
        seed("safetensors", name, safetensors(value, data))
        seed("safetensors_header", name, bytes([(length + 3) // 4]) + json.dumps(value).encode())
    one = {"a": tensor("F32", [1], 0, 4)}
    seed("safetensors", "nan", safetensors(one, b"\0\0\xc0\x7f"))
    seed("safetensors", "bytes-behind", safetensors(one, bytes(8)))
    seed("safetensors", "bytes-missing", safetensors(one, bytes(2)))
    seed("safetensors", "no-json", safetensors("{\"a\":"))
    seed("safetensors", "deep", safetensors("{\"a\":" + "[" * 100))
    seed(
        "safetensors",
        "twice",
        safetensors("{\"a\":%s,\"a\":%s}" % ((json.dumps(one["a"]),) * 2), bytes(4)),
    )
    seed("safetensors", "seven-bytes", b"1234567")
    seed("safetensors", "length", struct.pack("<Q", 2**63 - 1) + b"{}")


def pickled_seeds():
    """Of files that torch wrote (tests/golden/pickled/make.py); the storages behind state_pickle's
    are 24 and 4 floats and an empty one."""
    pickled = FIXTURES / "pickled"
    for name in (
        "linear",
        "no_checksums",
        "views",
        "whole_numbers",
        "before_1_6",
        "whole_model",
        "training_run",
        "expanded",
    ):
        data = (pickled / f"{name}.bin").read_bytes()
        seed("pickled_checkpoint", name, data)
        if name not in ("no_checksums", "before_1_6"):
            seed("state_pickle", name, zipfile.ZipFile(io.BytesIO(data)).read(f"{name}/data.pkl"))
    for name in ("bert_bf16", "t5"):
        with zipfile.ZipFile(pickled / name / "pytorch_model.bin") as file:
            seed("state_pickle", name, file.read("pytorch_model/data.pkl"))
    seed("state_pickle", "forbidden", b"\x80\x02cos\nsystem\nX\x02\0\0\0id\x85R.")
    seed("state_pickle", "forbidden-by-stack", b"\x80\x04\x8c\x02os\x8c\x06system\x93)R.")
    seed(
        "state_pickle",
        "hooks",
        b"\x80\x02}X\x01\0\0\0actorch._utils\n_rebuild_tensor_v2\n"
        b"((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000"
        b"X\x03\0\0\0cpuK\x18tQK\x00K\x04K\x06\x86K\x06K\x01\x86\x89}K\x01K\x01stRs.",
    )
    compressed = io.BytesIO()
    with zipfile.ZipFile(compressed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(zipfile.ZipInfo("a/data.pkl"), b"\x80\x02}." * 20, zipfile.ZIP_DEFLATED)
    seed("pickled_checkpoint", "compressed", compressed.getvalue())


def model_seeds():
    for name in ["bert_st", "roberta_hf", "bert_gamma", "bert_f16", "bert_st_old/0_Transformer"]:
        seed("hf_config", name.replace("/", "-"), read(f"{name}/config.json"))
    for config in sorted(FIXTURES.glob("families/*/config.json")):
        seed("hf_config", f"family-{config.parent.name}", config.read_bytes())
    for config in sorted(FIXTURES.glob("rerankers/*/config.json")):
        seed("hf_config", f"reranker-{config.parent.name}", config.read_bytes())
    reranker = json.loads((FIXTURES / "rerankers/bert/config.json").read_text())
    for name, change in {
        "no-labels": {"id2label": {}},
        "gap": {"id2label": {"0": "a", "2": "b"}},
        "label-number": {"id2label": {"0": 7}},
        "count": {"id2label": None, "num_labels": 2**40},
        "class": {"sentence_transformers": {"activation_fn": "os.system"}},
        "older": {"sbert_ce_default_activation_function": "torch.nn.Identity"},
    }.items():
        seed("hf_config", f"reranker-{name}", json.dumps({**reranker, **change}))
    bert = json.loads(read("bert_st/config.json"))
    for key, values in {
        "hidden_size": [-1, 0, 7.5, "768", 2**63, 1e308],
        "num_attention_heads": [7],
        "num_hidden_layers": [10**9],
        "vocab_size": [2**40],
        "model_type": ["llama"],
        "hidden_act": ["tanh", "silu"],
        "position_embedding_type": ["relative_key"],
    }.items():
        for i, value in enumerate(values):
            seed("hf_config", f"{key}-{i}", json.dumps({**bert, key: value}))
    seed("hf_config", "bom", b"\xef\xbb\xbf" + read("bert_st/config.json"))
    seed("hf_config", "comment", "{} // a comment")

    index = read("roberta_sharded/model.safetensors.index.json").decode()
    first = "model-00001-of-00002.safetensors"
    seed("shard_index", "good", index)
    seed("shard_index", "outside", index.replace(first, "../" + first, 1))
    seed("shard_index", "missing", index.replace(first, "absent.safetensors", 1))
    seed("shard_index", "list", "{\"weight_map\": []}")
    seed("shard_index", "number", "{\"weight_map\": {\"a\": 3}}")

    st, old = MODELS / "bert_st", MODELS / "bert_st_old"
    sentence = (st / "sentence_bert_config.json").read_bytes()
    seed(
        "modules",
        "new",
        (st / "modules.json").read_bytes(),
        (st / "1_Pooling/config.json").read_bytes(),
        "{}",
        sentence,
        (st / "config_sentence_transformers.json").read_bytes(),
    )
    seed(
        "modules",
        "old",
        (old / "modules.json").read_bytes(),
        (old / "1_Pooling/config.json").read_bytes(),
        (old / "2_Dense/config.json").read_bytes(),
        (old / "0_Transformer/sentence_roberta_config.json").read_bytes(),
        (old / "config_sentence_transformers.json").read_bytes(),
    )
    seed(
        "modules", "outside", (st / "modules.json").read_text().replace("1_Pooling", "../1_Pooling")
    )
    seed(
        "modules",
        "foreign",
        "[{\"idx\": 0, \"name\": \"0\", \"path\": \"\", \"type\": \"custom.Module\"}]",
    )
    seed(
        "modules",
        "prompts",
        "[]",
        "",
        "",
        "{\"max_seq_length\": -3}",
        "{\"prompts\": {\"query\": \"query: \"}, \"default_prompt_name\": \"passage\", "
        "\"similarity_fn_name\": \"dot\"}",
    )

    seed("pooling_config", "new", (st / "1_Pooling/config.json").read_bytes())
    seed("pooling_config", "old", (old / "1_Pooling/config.json").read_bytes())
    for i, mode in enumerate(
        ["mean", "[\"cls\", \"max\"]", "lasttoken", "weightedmean", "nonsense"]
    ):
        value = mode if mode.startswith("[") else f"\"{mode}\""
        seed(
            "pooling_config",
            f"mode-{i}",
            "{\"word_embedding_dimension\": 32, \"pooling_mode\": %s, \"include_prompt\": false}"
            % value,
        )
    seed(
        "pooling_config",
        "none",
        "{\"word_embedding_dimension\": 32, \"pooling_mode_mean_tokens\": false}",
    )


def tokenizer_seeds():
    settings = read("bert_st/tokenizer_config.json")
    for name in ["bert_st", "roberta_sharded"]:
        document = read(f"{name}/tokenizer.json").decode()
        seed(
            "tokenizer_json",
            name,
            document,
            read(f"{name}/tokenizer_config.json"),
            "Hello [MASK] <mask>",
        )
        parsed = json.loads(document)
        parsed["model"]["type"] = "Unigram"
        seed("tokenizer_json", f"{name}-unigram", json.dumps(parsed, ensure_ascii=False))
    small = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": 2,
                "content": "[CLS]",
                "single_word": False,
                "lstrip": False,
                "rstrip": True,
                "normalized": False,
                "special": True,
            },
            {
                "id": 9,
                "content": "new",
                "single_word": True,
                "lstrip": True,
                "rstrip": False,
                "normalized": True,
                "special": False,
            },
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "NFD"},
                {"type": "StripAccents"},
                {"type": "Lowercase"},
                {
                    "type": "BertNormalizer",
                    "clean_text": True,
                    "handle_chinese_chars": True,
                    "strip_accents": None,
                    "lowercase": True,
                },
            ],
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ],
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}},
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {
                "[PAD]": 0,
                "[UNK]": 1,
                "[CLS]": 2,
                "the": 3,
                "cat": 4,
                "##s": 5,
                "caf": 6,
                "##e": 7,
                "a": 8,
            },
        },
    }
    seed("tokenizer_json", "small", json.dumps(small), "{}", "the Cats new")
    bpe = {
        **small,
        "normalizer": None,
        "added_tokens": [],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": ["</s>", 1],
            "cls": ["<s>", 0],
            "trim_offsets": True,
            "add_prefix_space": True,
        },
        "model": {
            "type": "BPE",
            "vocab": {
                "<s>": 0,
                "</s>": 1,
                "h": 2,
                "e": 3,
                "l": 4,
                "o": 5,
                "he": 6,
                "ll": 7,
                "hell": 8,
                "\u0120": 9,
            },
            "merges": ["h e", ["l", "l"], "he ll"],
        },
    }
    seed("tokenizer_json", "small-bpe", json.dumps(bpe), "{}", "hello Hello")

    pipeline_seeds.make(seed, small)

    vocabulary = read("bert_bf16/vocab.txt")
    seed(
        "wordpiece_files",
        "good",
        vocabulary,
        read("bert_bf16/tokenizer_config.json"),
        "{}",
        "the quick brown fox",
    )
    seed(
        "wordpiece_files",
        "settings",
        vocabulary,
        settings,
        "{\"mask_token\": \"[UNK]\", \"cls_token\": {\"content\": \"[SEP]\"}}",
        "a text",
    )
    seed(
        "wordpiece_files",
        "crlf",
        vocabulary.replace(b"\n", b"\r\n"),
        "{\"do_lower_case\": false, \"model_max_length\": 40}",
    )
    seed(
        "wordpiece_files",
        "decoder",
        vocabulary,
        "{\"added_tokens_decoder\": {\"200\": {\"content\": \"<x>\", \"special\": true}}}",
    )
    seed("wordpiece_files", "twice", vocabulary + b"[PAD]\n")
    seed("wordpiece_files", "no-utf8", vocabulary + b"\xff\n")
    merges, codes = read("roberta_hf/merges.txt"), read("roberta_hf/vocab.json")
    seed(
        "bpe_files",
        "good",
        codes,
        merges,
        read("roberta_hf/tokenizer_config.json"),
        "{}",
        "Hello world <mask>",
    )
    seed("bpe_files", "no-header", codes, merges.split(b"\n", 1)[1])
    seed("bpe_files", "unknown-pair", codes, "#version: 0.2\nqqq zzz\n")
    seed("bpe_files", "negative", "{\"a\": -1}", merges)

    texts = {
        "plain": "Hello, world! It's 2024.",
        "unicode": "caf\u00e9 \u4e2d\u6587 \U0001f600 e\u0301\u0300 \u0130 \ufb01 \u1e9b\u0323",
        "spaces": " \t\n\u00a0\u2003 ",
        "special": "<s> [MASK] </s> [CLS]<mask>",
        "long-word": "a" * 300,
        "controls": "\0\x01\x7f\ufeff\u200b",
    }
    for name, text in texts.items():
        seed("tokenise", name, text)
    seed("tokenise", "malformed", b"a\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80 caf\xc3 \xe4\xb8")


def config_seeds():
    for method in ["clsr", "simcse", "consert", "clear", "sg-opt", "mnrl"]:
        seed(
            "run_config",
            method,
            json.dumps({"method": method, "max_steps": 10, "batch_size": 8, "lr": 1e-4}),
        )
    seed(
        "run_config",
        "nested",
        json.dumps(
            {
                "method": "clsr",
                "clsr": {"temperature": 0.1},
                "optimizer": {"name": "lars"},
                "schedule.warmup": 3,
                "x-mine": 1,
                "evaluate": {"sts": {"data": "a.tsv"}},
                "dev": "d.tsv",
                "eval_every": 5,
                "patience": 2,
            }
        ),
    )
    seed(
        "run_config",
        "tasks",
        json.dumps(
            {
                "method": "mnrl",
                "epochs": 3,
                "task2.dataset": "x",
                "task2.method": "scored",
                "task2.weight": 2,
            }
        ),
    )
    seed(
        "run_config",
        "stages",
        json.dumps(
            {"method": "consert", "consert.mode": "sup-unsup", "epochs": 3, "stage2.max_steps": 4}
        ),
    )
    seed(
        "run_config",
        "model",
        json.dumps(
            {
                "tokenizer": "t",
                "layers": 4,
                "hidden_size": 256,
                "pooling": "cls",
                "device": "cuda:1",
                "precision": "bfloat16",
            }
        ),
    )
    seed(
        "run_config",
        "data",
        json.dumps(
            {
                "data.format": "tsv",
                "data.columns": ["1", "2"],
                "data.where": ["0=a"],
                "data.header": True,
            }
        ),
    )
    seed("run_config", "deep", "[" * 100)
    seed("run_config", "twice", "{\"a\": 1, \"a\": 2}")
    seed(
        "run_config",
        "numbers",
        "{\"lr\": 1e999, \"seed\": 18446744073709551616, \"batch_size\": -0}",
    )
    seed(
        "assignments",
        "good",
        "method=clsr\nlr=1e-4\nmax_steps=10\nclsr.temperature=0.05\n"
        "betas=[0.9,0.98]\noptimizer=lars",
    )
    seed("assignments", "odd", "a=\n=b\nc.d={\"e\": 1}\nc.d.e=[[1]]\nx-y=null\nbatch_size=1e3")


def data_seeds():
    tsv = "one\ttwo\t0.5\nthree\tfour\t1\n\tempty\t0\nfive\tsix\t-2.5e-1\n"
    seed("data_file", "text", "{\"data.format\": \"text\"}", "one\n\ntwo\r\nthree")
    seed("data_file", "tsv", "{}", tsv)
    seed(
        "data_file",
        "header",
        json.dumps(
            {
                "data.header": True,
                "data.columns": ["a", "b"],
                "data.where": ["split=train"],
                "data.negatives": ["n"],
            }
        ),
        "a\tb\tn\tsplit\nx\ty\tz\ttrain\nu\tv\t\tdev\n",
    )
    seed(
        "data_file",
        "skip",
        json.dumps({"data.on_error": "skip", "data.empty": "keep", "data.min_label": 0.1}),
        tsv + "one\n\xff\t\xfe\t1\n",
    )
    seed(
        "data_file",
        "jsonl",
        "{\"data.format\": \"jsonl\"}",
        "{\"anchor\": \"a\", \"positive\": \"b\", \"negatives\": [\"c\", \"d\"], \"score\": 3}\n"
        "{\"anchor\": \"e\", \"positive\": \"\\u00e9\"}\n",
    )
    seed(
        "data_file",
        "jsonl-columns",
        json.dumps(
            {"data.format": "jsonl", "data.columns": ["q", "r"], "data.label_names": ["no", "yes"]}
        ),
        "{\"q\": \"a\", \"r\": \"b\", \"label\": \"yes\"}\n",
    )
    seed(
        "data_file",
        "utf8",
        "{\"data.format\": \"text\", \"data.invalid_utf8\": \"error\"}",
        b"fine\n\xff\n",
    )
    seed("data_file", "bom", "{\"data.format\": \"text\"}", b"\xef\xbb\xbffirst\nsecond\n")
    packed = gzip.compress(b"one\ntwo\nthree\n" * 20, mtime=0)
    seed("lines", "plain", "one\ntwo\r\n\nthree")
    seed("lines", "gzip", packed)
    seed("lines", "gzip-twice", packed + packed)
    seed("lines", "gzip-cut", packed[:-9])
    seed("lines", "gzip-damaged", packed[:15] + b"\xff\xff" + packed[17:])
    seed("lines", "gzip-behind", packed + b"something else")
    seed("lines", "utf16", b"\xff\xfeo\0n\0e\0\n\0")
    seed("lines", "zstd", b"\x28\xb5\x2f\xfd1234")

    def evaluation(reader, name, *parts):
        parts = [part.encode() if isinstance(part, str) else part for part in parts]
        seed("evaluation_files", name, bytes([reader]) + BETWEEN.join(parts))

    evaluation(0, "sts-tsv", "2.5\ta text\tanother\n4\tone\ttwo\n")
    evaluation(
        0,
        "stsb",
        "genre\tfile\tyear\tid\tscore\ts1\ts2\nmain-news\tf\t2012\t0001\t5.000\ta\tb\n"
        "main-news\tf\t2012\t0002\t1.000\tc\td\n",
    )
    evaluation(1, "sts-csv", "\"a, text\",another,2.5\n\"a \"\"b\"\"\",\"c\nd\",4\n")
    evaluation(
        2,
        "sick",
        "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tx\n"
        "1\ta\tb\tNEUTRAL\t4.5\tTRAIN\n",
    )
    evaluation(3, "semeval", "1.0\n\n2.0\n", "a\tb\nc\td\ne\tf\n")
    evaluation(4, "pairs", "query\tdocument\nquery 2\tdocument\n")
    evaluation(
        5,
        "beir",
        "{\"_id\": \"q\", \"text\": \"a\"}\n",
        "{\"_id\": \"d\", \"title\": \"t\", \"text\": \"b\"}\n",
        "query-id\tcorpus-id\tscore\nq\td\t1\n",
    )
    evaluation(
        6,
        "beir-same",
        "{\"_id\": \"d\", \"text\": \"a\"}\n",
        "{\"_id\": \"d\", \"text\": \"b\"}\n{\"_id\": \"e\", \"text\": \"b\"}\n",
        "d\td\t1\nd\te\t2\n",
    )
    evaluation(7, "csv", "a,b,c\n\"a\",\"b\n\",\"\"\"c\"\n")
    evaluation(8, "tsv", "a\tb\tc\n\n\"a\tb\tc\n")
    evaluation(9, "synonyms", "{\"good\": [\"fine\", \"nice\"], \"bad\": []}")
    evaluation(9, "synonym-ids", "12 13, 14, 15 16\n20, 21\n")
    for i in range(9):
        evaluation(10 + i, f"glue-{i}", "0\tone text\tanother\n1\tthird\tfourth\n")
    evaluation(10, "glue-own", "index\tsentence\tlabel\n0\ta\t1\n")
    for i in range(8):
        evaluation(20 + i, f"transfer-{i}", "0\tone text\tanother\n1\tthird\tfourth\n")


def state_seeds():
    manifest = {
        "format_version": 1,
        "files": {"state.safetensors": {"bytes": 0, "sha256": "@"}},
        "fields": {"step": 3, "nested": {"a": [1, 2]}},
    }
    tensors = safetensors(
        {"a": tensor("F32", [2], 0, 8), "b": tensor("I64", [1], 8, 16)}, bytes(range(16))
    )

    def state(name, data=tensors, **changes):
        seed(
            "training_state",
            name,
            json.dumps({**manifest, **changes}).replace("\"bytes\": 0", "\"bytes\": #"),
            data,
        )

    state("good")
    state("newer", format_version=2)
    state("missing", files={"other": {}})
    state("outside", files={"../x": {}})
    state("half", safetensors({"a": tensor("F16", [2], 0, 4)}, bytes(4)))
    state("nothing", safetensors({"a": tensor("F32", [0, 2**62, 2**62], 0, 0)}), files={})
    state("length", files={"state.safetensors": {"bytes": 100, "sha256": "@"}})
    record = struct.pack("<QQQQ", 5, 6, 7, 8)
    seed("row_store", "empty", b"\0")
    seed(
        "row_store",
        "two",
        bytes([8]) + record + struct.pack("<QQQQ", 1, 2, 9, 9) + bytes(range(32)),
    )
    seed("row_store", "short", bytes([6]) + record + record[:16] + bytes(20))

    def npy(header, data, version=b"\x01\x00"):
        text = (header + " " * ((54 - len(header)) % 64)).encode() + b"\n"
        return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text + data

    def matrix(shape, descr="<f4", order="False"):
        return "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (descr, order, shape)

    seed("npy", "good", npy(matrix("2, 3"), bytes(24)))
    seed("npy", "none", npy(matrix("0, 3"), b""))
    seed("npy", "huge", npy(matrix("999999999999999, 999999999"), b""))
    seed("npy", "vector", npy(matrix("3,"), bytes(12)))
    seed("npy", "double", npy(matrix("1, 1", "<f8"), bytes(8)))
    seed("npy", "fortran", npy(matrix("1, 1", order="True"), bytes(4)))
    seed("npy", "version", npy(matrix("1, 1"), bytes(4), b"\x02\x00"))
    seed("npy", "cut", npy(matrix("2, 3"), bytes(24))[:40])


def resume_seeds():
    """Inputs of resume.cpp: the number of a run, overrides, patches of its fields and of its
    tensors' header, and bytes at a place among these."""

    def resume(name, run, overrides="", fields="", header="", data=b""):
        text = [
            part if isinstance(part, str) else json.dumps(part)
            for part in (overrides, fields, header)
        ]
        seed("resume", name, bytes([run]), *text, data)

    for run in range(8):
        resume(f"run-{run}", run)
        resume(f"numbers-{run}", run, "", "", "", b"\0\x40\0" + b"\0\0\xc0\x7f" * 8)
    overrides = [
        {"max_steps": 9},
        {"checkpoints": "points", "save_every": 1, "keep": 1},
        {"checkpoints": 2024},
        {"metrics_file": "m.jsonl", "metrics_csv": "m.csv"},
        {"lr": 0.5},
        {"evaluate": {"sts": {"data": "dev.tsv"}}, "dev_select": "sts.spearman"},
        {"gradient_checkpointing": True},
    ]
    for i, value in enumerate(overrides):
        resume(f"overrides-{i}", i % 3, value)
    resume("cache", 2, {"cache": "cached"})
    resume("stage", 4, {"stage2.max_steps": 9, "stage2.dataset": "texts.txt"})
    fields = [
        {"step": 2**53},
        {"step": -1},
        {"epoch": 1, "position": 3},
        {"position": 4},
        {"config": {"lr": 0.5}},
        {"config": {"method": "mnrl"}},
        {"early_stopping": {"best": 1e308, "strikes": 3}},
        {"early_stopping": None},
        {"unrecorded": {"loss": "x"}, "views": {"view.alignment": 1}},
        {"collapse_watch": {"mean_cosine": 0.5, "effective_rank": 2, "collapsed": True}},
        {"method_state": []},
        {"loss_scale": {"scale": 2}},
        {"resolved_config": {"dev_select": "other"}},
        {"optimizer_steps": 3, "prepared": False},
        {"unsettled": True, "evaluated_at": 1},
    ]
    for i, value in enumerate(fields):
        resume(f"fields-{i:02}", 0 if "early_stopping" in value else i % 3, "", value)
    stages = [
        {"stage": 0},
        {"stage_data": []},
        {"start_poolings": ["max"]},
        {"start_poolings": [1]},
        {"start_dense": 3},
        {"first_model": "x"},
        {"stages": None},
        {"stages": {"method": None}},
        {"stages": {"stage2.lr": 0.5}},
        {"stages": {"stage2.dataset": "absent"}},
    ]
    for i, value in enumerate(stages):
        resume(f"stages-{i}", 4, "", value)
    weight = "weight.embeddings.word_embeddings.weight"
    headers = [
        {weight: None},
        {weight: {"shape": [8, 121]}},
        {"method.cache.records": {"shape": [3, 4]}},
        {"method.cache.vectors": None},
        {"method.input.mean": {"dtype": "I64", "shape": [4]}},
        {"best." + weight[7:]: {"shape": [8, 121]}},
    ]
    for i, value in enumerate(headers):
        resume(f"header-{i}", 2 if 1 < i < 5 else 0, "", "", value)


def pruned_seeds():
    """Inputs of pruned_tokenizer: those of tokenizer_json without the settings between."""
    for path in sorted((CORPUS / "tokenizer_json").glob("seed-*")):
        pieces = path.read_bytes().split(BETWEEN, 2)
        seed("pruned_tokenizer", path.name[5:], pieces[0], pieces[-1] if len(pieces) == 3 else b"")


def cache_seeds():
    """Inputs of embedding_cache.cpp: how the cache is made, an edit of its index and of its
    vectors, and tensors to load."""
    for half in range(2):
        for pooling in range(4):
            seed(
                "embedding_cache",
                f"way-{half}{pooling}",
                bytes([half, pooling]) + b"one more",
                b"\1\0\0\0",
                b"\1\0\0\0",
                b"\4\1\1",
            )
    seed("embedding_cache", "vectors", b"\0\0", b"\1\0\0\0", b"\1\0\0\x24\xff\xff")
    seed("embedding_cache", "key", b"\0\0", b"\1\0\0\x24\xff\xff")
    seed(
        "embedding_cache",
        "twice",
        b"\1\0",
        b"\0\0\0\x20\0" + bytes(32),
        b"\0\0\0\x10\0" + bytes(16),
    )
    seed("embedding_cache", "cut-index", b"\0\1", b"\2\0\0\x50")
    seed("embedding_cache", "cut-vectors", b"\0\1", b"\1\0\0\0", b"\2\0\0\x50")
    seed("embedding_cache", "empty", b"\0\2", b"\2\0\0\0", b"\2\0\0\0")
    tensors = [
        b"\0\0\2\3\3" + bytes(72) + b"\1\2\3\x13" + bytes(96),
        b"\1\0\2\3\3",
        b"\3",
        b"\4\0\0\2\6\3" + bytes(range(144)) + b"\1",
    ]
    for i, what in enumerate(tensors):
        seed("embedding_cache", f"tensors-{i}", b"\0\0", b"\1\0\0\0", b"\1\0\0\0", what)


def program_seeds():
    lines = [
        "--help",
        "--version",
        "version --json",
        "train --help",
        "nonsense",
        "encode",
        "encode --model= -i a.txt -o -",
        "config sts",
        "config --json",
        "encode --model model -i a.txt -o a.npy",
        "encode --model model -i a.tsv --input-column 2 -o -",
        "encode -m model -i a.jsonl -o b.jsonl --strict-rows",
        "similarity --model model one two",
        "similarity --model model -i a.tsv -o b.jsonl",
        "search --model model --corpus a.txt one -k 2",
        "completion bash",
        "tokenize --model model one two",
        "inspect model --json",
        "train --method simcse --model model --train a.txt --max-steps 1 --batch-size 2 -o out",
        "eval --model model sts --data s.tsv",
        "eval sts --model model --set data=s.tsv",
        "train --config a.json --model model --train a.tsv -o out",
        "eval --model= --task sts --data s.tsv --dry-run",
        "report s.tsv",
        "vocabulary --input a.txt -o out",
        "create --help",
        "bench --help",
        "train --lr nan --threads -1 --seed x",
    ]
    for i, line in enumerate(lines):
        seed("arguments", f"{i:02}", line.replace(" ", "\n"))

    # Calls as handles.cpp reads them: the number of the function, then its arguments; a handle is
    # one byte, a text its length and its bytes.
    def text(value):
        return bytes([len(value)]) + value.encode()

    config, load, new_data, cancel = 3, 10, 18, 38
    calls = {
        "config": bytes([config])
        + b"\xff"
        + text("{\"a\": {\"b\": 1}}")
        + bytes([5, 0])
        + text("x-y")
        + text("2")
        + bytes([7, 0])
        + bytes([0, 0, 1]),
        "encode": bytes([load, 0, 200])
        + bytes([16, 0, 2])
        + text("one")
        + text("two three")
        + bytes([0, 0, 1, 1, 1, 200, 1, 0])
        + bytes([0, 0, 1]),
        "tokenise": bytes([load, 1, 200])
        + bytes([14, 0])
        + text("hello world")
        + text("")
        + bytes([10, 1])
        + bytes([15, 0])
        + text("a")
        + text("b")
        + bytes([10, 1]),
        "stale": bytes([load, 0, 200, 0, 0, 1])
        + bytes([11, 220])
        + bytes([16, 208, 1])
        + text("one")
        + bytes(8),
        "cancel": bytes([cancel, 39, 0]) + bytes([34, 1, 1, 4, 1]) + bytes(20) + bytes([3, 1, 0]),
        "arrays": b"".join(
            bytes([33 + i, 3, 2, 4, i]) + bytes(range(20)) + bytes([1, 3]) for i in range(5)
        ),
    }
    for i in range(4):
        examples = b"".join(
            bytes([20, 0]) + text(f"text {k}") + text(f"partner {k}") + text("") + bytes([1, i % 2])
            for k in range(3)
        )
        calls[f"train-{i}"] = (
            bytes([load, i % 2, 200, config, i, new_data])
            + examples
            + bytes([23, 0, 0, 0, 26, 0, 200, 27, 0, 200, 29, 0, 0, 30, 0])
            + bytes([31, 0, 1, 32, 0])
        )
    for name, value in calls.items():
        seed("handles", name, value)


def main():
    for old in CORPUS.glob("*/seed-*"):
        old.unlink()
    for make in [
        safetensors_seeds,
        pickled_seeds,
        model_seeds,
        tokenizer_seeds,
        config_seeds,
        data_seeds,
        state_seeds,
        resume_seeds,
        pruned_seeds,
        cache_seeds,
        program_seeds,
    ]:
        make()
    folder_seeds.make(seed)
    for folder in sorted(CORPUS.iterdir()):
        if not any(folder.iterdir()):
            shutil.rmtree(folder)
    files = [path for path in CORPUS.glob("*/*")]
    print(f"{len(files)} files, {sum(path.stat().st_size for path in files)} bytes")


if __name__ == "__main__":
    main()
