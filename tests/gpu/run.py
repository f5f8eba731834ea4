#!/usr/bin/env python3
"""What run.sh starts: tests and benchmarks on a CUDA device, each with a time limit, within one
limit for all. README.md says what it writes."""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback

import table
import vectors

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77  # a test program that skipped every test
CHECK_TEXTS = 192
PARTS = ("tests", "encode", "train")
# Tests of any device that CONTRASTIVE_TEST_DEVICE names, and the parts that each runs in.
ON_ANY_DEVICE = {
    "test_methods": 4,
    "test_consert": 1,
    "test_tuning_golden": 1,
    "test_clear": 1,
    "test_train": 2,
    "test_methods_contract": 4,
}

PROBE = """
import importlib.metadata, json, pathlib
found = {}
for name in ("transformers", "sentence-transformers", "tokenizers"):
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
try:
    import torch
    found.update(torch=str(torch.__version__), folder=str(pathlib.Path(torch.__file__).parent))
    found.update(cuda=torch.version.cuda, gpus=torch.cuda.device_count())
    if found["gpus"]:
        memory = torch.cuda.get_device_properties(0).total_memory
        found.update(device=torch.cuda.get_device_name(0), memory=memory >> 20)
except ImportError as error:
    found["why"] = str(error)
print(json.dumps(found))
"""


class Plan:
    """How much is done: all of it, or so little that every step is taken and every line is
    printed."""

    def __init__(self, rehearsal, seconds):
        self.seconds = seconds
        self.patience = (
            4 if rehearsal else 1
        )  # times a step's limit: tests run side by side on machines that have other work
        # layers, width, heads, width between
        self.shapes = (
            {"MiniLM": (2, 32, 4, 64), "BERT-base": (2, 48, 4, 96)}
            if rehearsal
            else {"MiniLM": (6, 384, 12, 1536), "BERT-base": (12, 768, 12, 3072)}
        )
        self.texts = 24 if rehearsal else None
        self.runs, self.latency, self.warm, self.steps = (
            (1, 3, 1, 1) if rehearsal else (3, 200, 3, 10)
        )
        self.threads = min(2 if rehearsal else 16, os.cpu_count() or 1)
        self.shards = 1 if rehearsal else 6
        # Where the device is the host's, the rest of them are tests of their own.
        self.filter = (
            "Cuda.*:CudaAfterCpu.*:Methods/CudaContract.InPartsAndInMixedPrecision/simcse"
            if rehearsal
            else "*"
        )


class Run:
    def __init__(self, a):
        self.pack, self.out = pathlib.Path(a.pack).resolve(), pathlib.Path(a.out).resolve()
        self.rehearsal, self.plan = a.rehearse is not None, Plan(a.rehearse is not None, a.seconds)
        self.parts = a.only or PARTS
        self.left_out = [f"{part}: not asked for" for part in PARTS if part not in self.parts]
        self.out.mkdir(parents=True, exist_ok=True)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="contrastive-gpu-"))
        if self.pack.is_file():
            with tarfile.open(self.pack) as archive:
                archive.extractall(self.work / "pack")
            self.pack = self.work / "pack"
        self.log, self.results = (
            open(self.out / "log.txt", "w"),
            open(self.out / "results.jsonl", "w"),
        )
        self.begin = time.monotonic()
        self.lines, self.tests, self.failures, self.ends = [], [], [], {}
        self.doctor = self.printed = ""
        self.found = self.probe()
        libtorch = os.environ.get("CONTRASTIVE_LIBTORCH") or self.found.get("folder")
        if libtorch is None:
            raise SystemExit(
                f"run.sh: no LibTorch: python3 has no torch ({self.found['why']}) and "
                f"CONTRASTIVE_LIBTORCH names none"
            )
        # Of the programs; the peers are Python's own affair.
        self.environment = dict(
            os.environ,
            CONTRASTIVE_LIBTORCH=libtorch,
            CONTRASTIVE_FIXTURES=str(HERE.parent / "fixtures"),
            LD_LIBRARY_PATH=":".join(
                filter(None, [f"{libtorch}/lib", os.environ.get("LD_LIBRARY_PATH")])
            ),
        )
        if self.rehearsal:
            self.environment["LD_PRELOAD"] = str(pathlib.Path(a.rehearse).resolve())
        self.say(f"LibTorch: {libtorch}")

    def probe(self):
        done = subprocess.run(
            [sys.executable, "-c", PROBE], capture_output=True, text=True, timeout=120
        )
        if done.returncode != 0:
            return {"why": done.stderr.strip()[-300:]}
        return json.loads(done.stdout.splitlines()[-1])

    def say(self, text):
        text = f"[{time.monotonic() - self.begin:5.1f} s] {text}"
        print(text, flush=True)
        print(text, file=self.log, flush=True)

    def left(self):
        return self.plan.seconds - (time.monotonic() - self.begin)

    def record(self, line):
        self.lines.append(line)
        self.results.write(json.dumps(line) + "\n")
        self.results.flush()

    def start(self, command, environment):
        output = tempfile.TemporaryFile(mode="w+")
        command = [str(part) for part in command]
        return subprocess.Popen(
            command,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ), output

    def finish(self, name, process, output, limit):
        """(exit status or None where it took too long, what it printed)."""
        try:
            status = process.wait(timeout=max(0.1, limit))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
        output.seek(0)
        text = output.read()
        output.close()
        print(
            f"\n== {name}: "
            f"{'stopped after its time' if status is None else f'exit status {status}'}\n{text}",
            file=self.log,
            flush=True,
        )
        return status, text

    def step(self, name, command, limit, environment=None, extra=None, must=True):
        """Runs one command and records the JSON lines that it prints, with `extra`; False where it
        failed or did not fit. `must`: that is a failure."""
        if self.left() < 3:
            self.left_out.append(f"{name}: no time was left")
            return False
        limit = min(limit * self.plan.patience, self.left())
        process, output = self.start(command, environment or self.environment)
        status, text = self.finish(name, process, output, limit)
        self.printed = text
        for line in text.splitlines():
            if line.startswith('{"') and line.endswith("}"):
                self.record(dict(json.loads(line), **(extra or {})))
        self.say(f"{name}: {'ok' if status == 0 else 'stopped' if status is None else 'FAILED'}")
        if status is None:
            self.left_out.append(f"{name}: stopped after {limit:.0f} s")
        elif status != 0:
            last = " / ".join(text.strip().splitlines()[-3:])[-400:]
            (self.failures if must else self.left_out).append(
                f"{name}: exit status {status}: {last}"
            )
        return status == 0

    # --- steps ------------------------------------------------------------------------------------

    def run_tests(self, limit):
        """All at once, the long ones in parts: each mostly waits for small kernels."""

        def parts_of(program, count, more):
            return [
                (program, dict(more, GTEST_TOTAL_SHARDS=str(count), GTEST_SHARD_INDEX=str(i)))
                for i in range(count)
            ]

        shards = self.plan.shards
        programs = [
            ("test_cuda", {}),
            ("test_cuda_after_cpu", {}),
            *parts_of("test_methods_cuda", shards, {}),
        ]
        if not self.rehearsal:
            for program, count in ON_ANY_DEVICE.items():
                programs += parts_of(program, count, {"CONTRASTIVE_TEST_DEVICE": "cuda"})
        common = dict(
            self.environment,
            OMP_NUM_THREADS="1" if self.rehearsal else "2",
            GTEST_FILTER=self.plan.filter,
            GTEST_COLOR="no",
        )
        begin, running = time.monotonic(), []
        for program, more in programs:
            count = more.get("GTEST_TOTAL_SHARDS", "1")
            name = program + (
                f", part {int(more['GTEST_SHARD_INDEX']) + 1} of {count}" if count != "1" else ""
            )
            running.append((name, *self.start([self.pack / "bin" / program], dict(common, **more))))
        while any(
            process.poll() is None for _, process, _ in running
        ) and time.monotonic() - begin < min(limit, self.left()):
            time.sleep(0.05)
            self.note_ends(running, begin)
        for name, process, output in running:
            self.note_ends(running, begin)
            status, text = self.finish(name, process, output, 0)
            if status is None:
                result = "FAILED: no end within its time"
            else:
                result = {0: "passed", SKIPPED: "SKIPPED: no device"}.get(
                    status, f"FAILED, exit status {status}"
                )
            counts = [line.strip() for line in text.splitlines() if line.startswith("[  PASSED  ]")]
            self.tests.append(
                (
                    name,
                    result + (f" ({counts[-1][12:].strip()})" if counts else ""),
                    self.ends.get(name, time.monotonic() - begin),
                )
            )
            self.say(f"{name}: {self.tests[-1][1]}")
            if status == 0:
                continue
            self.failures.append(f"{name}: {result}")
            self.failures += [
                f"{name}: {line}"
                for line in text.splitlines()
                if line.startswith("[  FAILED  ]") and "tests" not in line
            ][:20]

    def note_ends(self, running, begin):
        for name, process, _ in running:
            if process.poll() is not None:
                self.ends.setdefault(name, time.monotonic() - begin)

    def make_inputs(self):
        inputs = self.work / "inputs"
        inputs.mkdir()
        for path in sorted((self.pack / "texts").glob("*.txt")):
            with open(path, encoding="utf-8") as file:
                texts = file.read().split("\n")[:-1]
            (inputs / path.name).write_text(
                "".join(f"{text}\n" for text in texts[: self.plan.texts]), encoding="utf-8"
            )
            if path.stem == "mixed":
                count = min(CHECK_TEXTS, self.plan.texts or CHECK_TEXTS)
                (inputs / "check.txt").write_text(
                    "".join(f"{text}\n" for text in texts[:count]), encoding="utf-8"
                )
                (inputs / "train.txt").write_text(
                    "".join(f"{text}\n" for text in texts), encoding="utf-8"
                )
                self.checked = count
        return inputs

    def make_model(self, shape):
        layers, width, heads, between = self.plan.shapes[shape]
        model = self.work / shape
        made = self.step(
            f"{shape}: create",
            [
                self.pack / "bin/contrastive",
                "create",
                "--tokenizer",
                self.pack / "tokenizer",
                "--pooling",
                "mean",
                "--layers",
                layers,
                "--hidden-size",
                width,
                "--attention-heads",
                heads,
                "--set",
                f"intermediate_size={between}",
                "--max-length",
                256,
                "--output",
                model,
            ],
            60,
        )
        return model if made else None

    def own_vectors(self, shape, model, inputs):
        """Ours of check.txt, on the device and, as the first thing to compare with, on the CPU."""
        folder = self.work / f"{shape}-vectors"
        folder.mkdir()
        for name, device, precision in (
            ("cpu", "cpu", "float32"),
            ("ours.float32", "cuda", "float32"),
            ("ours.bfloat16", "cuda", "bfloat16"),
        ):
            if not self.step(
                f"{shape}: vectors, {device}, {precision}",
                [
                    self.pack / "bin/contrastive",
                    "encode",
                    "--model",
                    model,
                    "--input",
                    inputs / "check.txt",
                    "--output",
                    folder / f"{name}.f32",
                    "--device",
                    device,
                    "--precision",
                    precision,
                    "--normalize",
                    "--quiet",
                ],
                60,
            ):
                return None
        cpu = vectors.read(folder / "cpu.f32", self.checked)
        for precision in table.PRECISIONS:
            found = vectors.compare(
                vectors.read(folder / f"ours.{precision}.f32", self.checked), cpu, precision
            )
            self.record(
                dict(
                    found,
                    bench="vectors",
                    peer="our own on the CPU",
                    precision=precision,
                    model_shape=shape,
                )
            )
        return folder

    def peers_that_are_there(self):
        """The device that they compute on, and for each part (encode, train) those that can run;
        the others are left out, with the reason."""
        needs = {
            "plain": ("torch", "transformers", "tokenizers"),
            "sentence-transformers": ("torch", "sentence-transformers"),
        }
        there = []
        for peer, packages in needs.items():
            lacks = [name for name in packages if name not in self.found]
            if lacks:
                self.left_out.append(f"{peer}: python3 has no {' and no '.join(lacks)}")
            elif self.rehearsal and os.environ.get("CONTRASTIVE_GPU_PEERS") != "1":
                self.left_out.append(
                    f"{peer}: a rehearsal takes it along, on the CPU, where "
                    f"CONTRASTIVE_GPU_PEERS=1 asks for it"
                )
            else:
                there.append(peer)
        if self.rehearsal:
            return "cpu", there
        if there and not self.found.get("gpus"):
            self.left_out.append("all peers: python3's torch sees no CUDA device")
            there = []
        return "cuda", there

    def encode(self, shape, model, inputs, device, peers):
        folder = self.own_vectors(shape, model, inputs)
        common = [
            "--model",
            model,
            "--inputs",
            inputs,
            "--runs",
            self.plan.runs,
            "--latency",
            self.plan.latency,
            "--threads",
            self.plan.threads,
        ]
        for peer in peers if folder else []:
            # Its exit status says that vectors differ, or that the peer itself does not run here:
            # the lines of it tell which.
            program = [
                sys.executable,
                HERE / "encode_peer.py",
                "--peer",
                peer,
                "--device",
                device,
                "--vectors",
                folder,
            ]
            self.step(
                f"{shape}: encode, {peer}",
                [*program, *common],
                75,
                self.peer_environment(),
                {"model_shape": shape},
                must=False,
            )
        for precision in table.PRECISIONS:
            program = [
                self.pack / "bin/bench_encode_cuda",
                "--device",
                "cuda",
                "--precision",
                precision,
            ]
            self.step(
                f"{shape}: encode, ours, {precision}",
                [*program, *common],
                60,
                extra={"model_shape": shape},
            )

    def train(self, shape, model, inputs, device, peers):
        common = [
            "--model",
            model,
            "--texts",
            inputs / "train.txt",
            "--shape",
            "minilm",
            "--threads",
            self.plan.threads,
            "--steps",
            self.plan.steps,
            "--warm",
            self.plan.warm,
        ]
        amps = [table.amp_of(precision) for precision in table.PRECISIONS]
        if "plain" in peers:
            each = ",".join(f"{task}:{n}:{amp}" for amp in amps for task, n in table.TASKS)
            self.step(
                f"{shape}: train, plain PyTorch",
                [
                    sys.executable,
                    HERE.parent / "bench/bench_train.py",
                    "--peer",
                    "plain,fused",
                    "--each",
                    each,
                    "--device",
                    device,
                    *common,
                ],
                100,
                self.peer_environment(),
                {"model_shape": shape},
                must=False,
            )
        for amp in amps:
            for task, n in table.TASKS:
                program = [
                    self.pack / "bin/bench_train",
                    "--device",
                    "cuda",
                    "--amp",
                    amp,
                    "--task",
                    task,
                    "--n",
                    n,
                ]
                self.step(
                    f"{shape}: train, ours, {task}, n {n}, amp {amp}",
                    [*program, *common],
                    30,
                    extra={"model_shape": shape},
                )

    def peer_environment(self):
        threads = str(self.plan.threads)
        return dict(
            os.environ,
            OMP_NUM_THREADS=threads,
            HF_HUB_OFFLINE="1",
            TRANSFORMERS_VERBOSITY="error",
            TQDM_DISABLE="1",
            TOKENIZERS_PARALLELISM="true",
            PYTHONDONTWRITEBYTECODE="1",
        )

    def header(self, doctor):
        device = (
            "the simulated CUDA device, tiny shapes: its figures say nothing"
            if self.rehearsal
            else self.found.get("device", "no device")
        )
        versions = ", ".join(
            f"{name} {self.found[name]}"
            for name in ("torch", "cuda", "transformers", "sentence-transformers")
            if self.found.get(name)
        )
        library = next(
            (
                line.split(": ", 1)[1].split(" from ")[0]
                for line in doctor.splitlines()
                if " library: " in line
            ),
            "unknown",
        )
        return [
            f"- device: {device}"
            + (f", {self.found['memory']:,} MB" if "memory" in self.found else ""),
            f"- library: {library}",
            f"- python3: {versions or 'no torch'}",
            f"- {self.plan.threads} threads of {os.cpu_count()}; texts of tests/gpu/texts.py",
            f"- {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC, "
            f"{time.monotonic() - self.begin:.0f} s",
        ]

    def measure(self):
        self.say("python3: " + json.dumps(self.found))
        self.step("doctor", [self.pack / "bin/contrastive", "doctor", "--device", "cuda"], 60)
        self.doctor = self.printed
        self.say("it says\n" + self.doctor.rstrip())
        if "tests" in self.parts:
            self.run_tests(150)
        inputs = self.make_inputs()
        device, peers = self.peers_that_are_there()
        for shape in self.plan.shapes:
            model = self.make_model(shape)
            if model is None:
                self.left_out.append(f"{shape}: nothing was measured without its model")
                continue
            if "encode" in self.parts:
                self.encode(shape, model, inputs, device, peers)
            if "train" in self.parts:
                self.train(shape, model, inputs, device, peers)
            self.write_table()  # so that there is one whatever becomes of the next

    def write_table(self):
        """The rows that have no figure of ours."""
        failures = self.failures + [
            f"vectors differ: ours and {line['peer']}, {line['model_shape']}, {line['precision']}"
            for line in self.lines
            if line["bench"] == "vectors" and not line["same"]
        ]
        text, missing = table.render(
            self.header(self.doctor),
            self.plan.shapes,
            self.parts,
            self.lines,
            self.tests,
            self.left_out,
            failures,
        )
        if missing:
            text += "\nRows without a figure of ours:\n\n" + "".join(
                f"- {row}\n" for row in missing
            )
        (self.out / "table.md").write_text(text, encoding="utf-8")
        return text, failures, missing

    def all(self):
        try:
            self.measure()
        except Exception:  # what was measured until now is not lost
            self.failures.append(traceback.format_exc().strip().replace("\n", " / "))
        text, failures, missing = self.write_table()
        print("\n" + text)
        if failures:
            self.say("FAILED; what each program printed is in log.txt:\n" + "\n".join(failures))
        return 1 if failures or (self.rehearsal and missing) else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rehearse", metavar="LIBHOST_CUDA")
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--seconds", type=float, default=555)
    parser.add_argument("pack")
    parser.add_argument("out")
    run = Run(parser.parse_args())
    try:
        return run.all()
    finally:
        shutil.rmtree(run.work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
