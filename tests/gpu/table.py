"""The table of tests/gpu: every row that is wanted, whether or not there is a figure for it."""

import statistics

OURS = "contrastive"
SETS = ("short", "mixed", "long")
PRECISIONS = ("float32", "bfloat16")
TASKS = (("consert", 32), ("consert", 128), ("mnrl", 32), ("mnrl", 128))


def amp_of(precision):
    return "off" if precision == "float32" else precision


class Rows:
    """Each is one quantity of one model in one precision: the lines of results.jsonl that hold it,
    and which way is better."""

    def __init__(self, shapes):
        self.rows = []
        for shape in shapes:
            for precision in PRECISIONS:
                for name in SETS:
                    self.add(
                        f"encode, {name}, texts/s",
                        shape,
                        precision,
                        "texts_per_s",
                        True,
                        dict(bench="encode", set=name, precision=precision),
                    )
                self.add(
                    "encode, one text, p50 ms",
                    shape,
                    precision,
                    "p50_ms",
                    False,
                    dict(bench="latency", precision=precision),
                )
            for precision in PRECISIONS:
                for task, n in TASKS:
                    self.add(
                        f"train, {task}, n {n}, ms a step",
                        shape,
                        precision,
                        "s_per_step_median",
                        False,
                        dict(bench="train", task=task, n=n, amp=amp_of(precision)),
                    )

    def add(self, what, shape, precision, key, larger, wanted):
        self.rows.append(
            dict(
                what=what,
                shape=shape,
                precision=precision,
                key=key,
                larger=larger,
                wanted=dict(wanted, model_shape=shape),
            )
        )


def figure(row, lines, peer):
    """(the median, the most memory of the device in MB), or None."""
    found = [
        line
        for line in lines
        if line.get("peer", line.get("impl")) == peer
        and line.get("run", 0) >= 0
        and all(line.get(key) == value for key, value in row["wanted"].items())
    ]
    if not found:
        return None
    value = statistics.median(line[row["key"]] for line in found)
    if row["key"] == "s_per_step_median":
        value *= 1000
    return value, max(line.get("device_peak_mb") or 0 for line in found)


def number(value):
    return "-" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def cells(row, lines):
    """Of one row: ours, then each peer's figure with its ratio, then the memory; and whether ours
    is there."""
    ours = figure(row, lines, OURS)
    second = "fused" if row["wanted"]["bench"] == "train" else "sentence-transformers"
    text, memory = [number(ours and ours[0])], [number(ours[1]) if ours and ours[1] else "-"]
    for peer in ("plain", second):
        theirs = figure(row, lines, peer)
        ratio = None
        if ours and theirs:
            ratio = ours[0] / theirs[0] if row["larger"] else theirs[0] / ours[0]
        text += [number(theirs and theirs[0]), f"**{ratio:.2f}**" if ratio else "-"]
        memory.append(number(theirs[1]) if theirs and theirs[1] else "-")
    return text + memory[:2], ours is not None


def render(header, shapes, parts, lines, tests, left_out, failures):
    """The Markdown with the rows of the requested parts, and the rows without a figure of ours."""
    out = [
        "# On a CUDA device",
        "",
        *header,
        "",
        "Ratios are ours against the peer's of this run; above 1 this "
        "library is better. The second peer is"
        " SentenceTransformer.encode for encoding, and plain PyTorch with AdamW(fused=True) for "
        "training. Training in bfloat16 is amp = bfloat16."
        " Memory is the most that tensors held on the device, MB.",
        "",
        "| what | model | precision | ours | plain PyTorch | ratio | second peer | ratio | ours, "
        "MB | plain, MB |",
        "| --- " * 10 + "|",
    ]
    missing = []
    for row in Rows(shapes).rows:
        if row["what"].split(",")[0] not in parts:
            continue
        text, there = cells(row, lines)
        out.append("| " + " | ".join([row["what"], row["shape"], row["precision"], *text]) + " |")
        if not there:
            missing.append(f"{row['what']}: {row['shape']}, {row['precision']}")
    out += [
        "",
        "Vectors of the same texts, unit length: ours on the device beside",
        "",
        "| beside | model | precision | largest difference | largest 1 - cosine | 1 - cosine of "
        "different texts | |",
        "| --- " * 7 + "|",
    ]
    for line in lines:
        if line["bench"] == "vectors":
            figures = [
                f"{line[key]:.2g}" if key in line else "-"
                for key in ("largest_difference", "largest_angle", "apart")
            ]
            figures.append("same" if line["same"] else "**differ**")
            out.append(
                "| "
                + " | ".join([line["peer"], line["model_shape"], line["precision"], *figures])
                + " |"
            )
    out += ["", "| test | result | s |", "| --- | --- | --- |"]
    out += [f"| {name} | {result} | {seconds:.1f} |" for name, result, seconds in tests]
    for title, entries in (("Left out", left_out), ("Failed", failures)):
        out += [
            "",
            f"{title}: none." if not entries else f"{title}:",
            *([""] if entries else []),
            *(f"- {entry}" for entry in entries),
        ]
    return "\n".join(out) + "\n", missing
