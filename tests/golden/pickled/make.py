#!/usr/bin/env python3
"""Writes files with Python's torch.save, and safetensors files with the same numbers.

    make.py [OUT]     OUT: default tests/fixtures/pickled, whose files are committed; run again only
                      when a kind of file is added

OUT/NAME holds the pickled weights of the model of the same name in tests/fixtures/models or
tests/fixtures/families, each written in another way; the loose files are single cases. Wants torch
(made with 2.11) and safetensors. tests/core/io/pickled_checkpoint_test.cpp reads them.
"""

import collections
import json
import os
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
OUT = Path(sys.argv[1]) if len(sys.argv) > 1 else FIXTURES / "pickled"


def save(value, name, **how):
    path = OUT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(value, path, **how)


def tensors(name):
    return collections.OrderedDict(load_file(FIXTURES / name))


def models():
    save(tensors("models/bert_f16/model.safetensors"), "bert_f16/pytorch_model.bin")
    parameters = {
        name: torch.nn.Parameter(value, requires_grad=name.endswith("weight"))
        for name, value in tensors("models/bert_bf16/model.safetensors").items()
    }
    save(parameters, "bert_bf16/pytorch_model.bin", pickle_protocol=4)
    # As torch.nn.DataParallel names them, in the newest protocol.
    save(
        {
            "module." + name: value
            for name, value in tensors("models/bert_gamma/model.safetensors").items()
        },
        "bert_gamma/pytorch_model.bin",
        pickle_protocol=5,
    )
    for part in ("0_Transformer", "2_Dense"):
        save(
            tensors(f"models/bert_st_old/{part}/model.safetensors"),
            f"bert_st_old/{part}/pytorch_model.bin",
        )
    tied = tensors("families/t5/model.safetensors")
    tied["encoder.embed_tokens.weight"] = tied["shared.weight"]
    save(tied, "t5/pytorch_model.bin")
    index = json.loads(
        (FIXTURES / "models/roberta_sharded/model.safetensors.index.json").read_text()
    )
    for shard in sorted(set(index["weight_map"].values())):
        save(
            tensors(f"models/roberta_sharded/{shard}"),
            "roberta_sharded/pytorch_" + shard.replace(".safetensors", ".bin"),
        )
    index["weight_map"] = {
        name: "pytorch_" + shard.replace(".safetensors", ".bin")
        for name, shard in index["weight_map"].items()
    }
    (OUT / "roberta_sharded/pytorch_model.bin.index.json").write_text(
        json.dumps(index, indent=1) + "\n"
    )


class Program:
    """What an attacker puts in place of weights: unpickled, it leaves a file "ran"."""

    def __reduce__(self):
        return os.system, ("touch ran",)


def single_files():
    base = torch.arange(24, dtype=torch.float32)
    views = collections.OrderedDict(
        whole=base,
        rows=base.reshape(4, 6)[1:3],
        columns=base.reshape(4, 6)[:, 2:4],
        turned=base.reshape(4, 6).t(),
        every_other=base[1::2],
        cube=base.reshape(2, 3, 4).permute(2, 0, 1),
        one=base[7],
        none=base[:0].reshape(0, 3),
        unit=base.reshape(1, 24, 1).transpose(0, 2),
        half=torch.tensor([0.5, -2.0, 65504.0, 6e-8], dtype=torch.float16),
        brain=torch.tensor([1.5, -3e38], dtype=torch.bfloat16),
        double=torch.tensor([[0.1, -0.2], [0.3, 1e-300]], dtype=torch.float64).t(),
        turned_half=torch.arange(6, dtype=torch.float16).reshape(2, 3).t(),
    )
    save(views, "views.bin")
    save_file(
        {name: value.contiguous().clone() for name, value in views.items()},
        OUT / "views.safetensors",
    )
    (OUT / "views.safetensors").chmod(0o644)
    small = torch.nn.Linear(2, 2)
    torch.nn.init.constant_(small.weight, 1.0)
    torch.nn.init.constant_(small.bias, 2.0)
    whole = {
        name: torch.tensor([1, 0, 3]).to(getattr(torch, name))
        for name in ("int64", "int32", "int16", "int8", "uint8", "bool")
    }
    save({**small.state_dict(), **whole}, "whole_numbers.bin")
    save(small.state_dict(), "linear.bin")
    save(small.state_dict(), "before_1_6.bin", _use_new_zipfile_serialization=False)
    save(small, "whole_model.bin")
    save({"epoch": 3, "state_dict": small.state_dict()}, "training_run.bin")
    save(collections.OrderedDict(a=Program()), "runs_a_program.bin")
    save({"a": base[:1].expand(1000)}, "expanded.bin")
    torch.serialization.set_crc32_options(False)
    save(small.state_dict(), "no_checksums.bin")
    torch.serialization.set_crc32_options(True)


models()
single_files()
total = sum(file.stat().st_size for file in OUT.rglob("*") if file.is_file())
print(f"{total:,} bytes in {OUT}")
