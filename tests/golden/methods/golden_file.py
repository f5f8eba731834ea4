"""The output of the programs of this folder: NAME.json and NAME.golden.safetensors in the same
folder."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file


def golden_case(config, losses, trained, **more):
    """A run: `trained` is every parameter by its name in the library, including heads that are not
    passed on."""
    return {
        "config": config,
        "losses": [float(f"{x:.10g}") for x in losses],
        **more,
        "weights": trained,
    }


def write(name, cases, **more):
    """The weights of all cases go to the safetensors file as "case/parameter", all else to the JSON
    file."""
    weights = {
        f"{case}/{parameter}": p.detach().float().contiguous()
        for case, run in cases.items()
        for parameter, p in run["weights"].items()
    }
    folder = Path(__file__).resolve().parent
    save_file(weights, folder / f"{name}.golden.safetensors", metadata={"torch": torch.__version__})
    runs = {
        case: {key: value for key, value in run.items() if key != "weights"}
        for case, run in cases.items()
    }
    (folder / f"{name}.json").write_text(
        json.dumps({"torch": torch.__version__, **more, "cases": runs}, separators=(",", ":"))
        + "\n"
    )
    for case, run in runs.items():
        print(f"{name} {case}: loss {run['losses'][0]:.6f} -> {run['losses'][-1]:.6f}")
