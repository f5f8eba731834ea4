#!/usr/bin/env python3
"""The folders of tests/fixtures/published.json as transformers writes their weights, embedded by
sentence-transformers and by the command line program.

    compare.py [PROGRAM]     PROGRAM: default build/release/contrastive

Every model that transformers has a class for is made again with random weights (an old spelling of
NomicBERT, GTE and JinaBERT has none: they are left out), and the largest difference of normalised
embeddings is printed; above 1e-5 the script fails. Wants sentence-transformers (made with 6.2),
transformers 5.23.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/contrastive")
PUBLISHED = json.loads((ROOT / "tests/fixtures/published.json").read_text())
TEXTS = ["a dog", "the cat sat on a mat", "", "one two three four five six seven eight nine ten"]


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def make(folder, model):
    files, root = model["files"], folder / model.get("root", "")
    for name, value in files.items():
        write((root if name == "config.json" else folder) / name, value)
    write(root / "tokenizer.json", PUBLISHED["tokenizer.json"])
    tokenizer = {
        **files.get("tokenizer_config.json", {}),
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": "[PAD]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "unk_token": "[UNK]",
        "mask_token": "[MASK]",
    }
    write(root / "tokenizer_config.json", tokenizer)
    config = transformers.AutoConfig.from_pretrained(root)
    torch.manual_seed(1)
    of = transformers.T5EncoderModel if config.model_type == "t5" else transformers.AutoModel
    encoder = of.from_config(config) if of is transformers.AutoModel else of(config)
    encoder = encoder.float()
    for parameter in encoder.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    state = {name: value.contiguous().clone() for name, value in encoder.state_dict().items()}
    shared = {"encoder.embed_tokens.weight"} if config.model_type == "t5" else set()
    state = {name: value for name, value in state.items() if name not in shared}
    if model.get("pickled"):
        torch.save(state, root / "pytorch_model.bin")
    else:
        save_file(state, root / "model.safetensors", metadata={"format": "pt"})
    for name, value in files.items():
        if "_Dense/" in name:
            linear = torch.nn.Linear(
                value["in_features"], value["out_features"], bias=value["bias"]
            )
            save_file(
                {f"linear.{key}": tensor.clone() for key, tensor in linear.state_dict().items()},
                folder / Path(name).parent / "model.safetensors",
            )


def compare(folder, model):
    make(folder, model)
    theirs = SentenceTransformer(str(folder), device="cpu", model_kwargs={"dtype": torch.float32})
    reference = theirs.encode(TEXTS, normalize_embeddings=True, convert_to_numpy=True, prompt="")
    config = json.dumps({"allow_pickle": True})
    (folder.parent / "keys.json").write_text(config)
    (folder.parent / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    out = folder.parent / "out.npy"
    subprocess.run(
        [
            PROGRAM,
            "encode",
            "-q",
            "--model",
            folder,
            "--config",
            folder.parent / "keys.json",
            "-i",
            folder.parent / "texts.txt",
            "-o",
            out,
            "--force",
        ],
        check=True,
    )
    ours = np.load(out)
    ours = ours / np.linalg.norm(ours, axis=1, keepdims=True)
    length = theirs.max_seq_length
    return float(np.abs(ours - reference).max()), length


def main():
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    failed = compared = 0
    for model in PUBLISHED["models"]:
        config = model["files"]["config.json"]
        if "refused" in model or "auto_map" in config:
            continue
        with tempfile.TemporaryDirectory() as work:
            difference, length = compare(Path(work) / "model", model)
        expected = model["expect"]["max_seq_length"]
        bad = difference > 1e-5 or (length is not None and length != expected)
        print(
            f"{model['name']:44} {difference:.1e}  longest text {length}, ours "
            f"{expected}{'  FAIL' if bad else ''}"
        )
        compared += 1
        failed += bad
    print(f"{compared} models, {failed} failures")
    sys.exit(failed > 0)


main()
