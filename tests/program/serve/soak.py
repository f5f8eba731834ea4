"""soak.py SECONDS: `contrastive serve` under load for so long, and whether its memory, descriptors
and threads grow.

Eight clients ask for embeddings of varied lengths, search, compare and tokenize; one sends what is
refused, breaks off and goes away; the model is read again every 20 s. After a tenth of the time, in
which pools and heaps reach their size, one line is fitted through the resident memory of every
second, and one through the descriptors. It fails where an answer is not what it should be, or where
the lines rise. tests/faults/soak.sh serve runs it."""

import concurrent.futures
import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time

from server import MODEL, Server

WORDS = "the cat sat on a mat red dog birds fly over old house closed two café".split()
CLIENTS = 8
MOST_GROWTH = 2 << 20  # bytes over the whole time, by the fitted line


def words(chance, most):
    return " ".join(chance.choice(WORDS) for _ in range(chance.randrange(most)))


def client(server, number, ending, counts):
    chance, connection = random.Random(number), server.connect()
    while not ending.is_set():
        kind = chance.randrange(10)
        texts = [words(chance, 40) for _ in range(1 + chance.randrange(16))]
        path, body = (
            ("/search", {"query": texts[:3], "top_k": 5})
            if kind == 0
            else ("/tokenize", {"input": texts})
            if kind == 1
            else ("/similarity", {"a": texts, "b": texts[:2]})
            if kind == 2
            else (
                "/v1/embeddings",
                {"input": texts, "encoding_format": "base64" if kind < 6 else "float"},
            )
        )
        reply = server.ask(path, body, connection=connection)
        if reply.status not in (200, 429):
            raise AssertionError(f"{path}: {reply.status} {reply.body[:200]}")
        counts[number] += 1
        if kind == 9 and chance.random() < 0.1:
            connection.close()


def misuser(server, ending, counts):
    chance = random.Random(0)
    for data in iter(
        lambda: chance.choice(
            (
                b"hello\r\n\r\n",
                b"POST /v1/embeddings HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n{",
                b"GET /nowhere HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n",
                b"POST /v1/embeddings HTTP/1.1\r\nHost: "
                b"test\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"x" * 200000,
                b'POST /v1/embeddings HTTP/1.1\r\nHost: test\r\n'
                b'Connection: close\r\nContent-Length: 12\r\n\r\n{"input": []',
            )
        ),
        None,
    ):
        if ending.wait(0.05):
            return
        try:
            with server.socket(5) as connection:
                connection.sendall(data)
                if chance.random() < 0.5 and b"100\r" not in data:
                    connection.recv(1000)
        except OSError:
            pass
        counts[CLIENTS] += 1


def slope(points):
    """By least squares, a second."""
    n = len(points)
    x, y = sum(at for at, _ in points) / n, sum(value for _, value in points) / n
    return sum((at - x) * (value - y) for at, value in points) / sum(
        (at - x) ** 2 for at, _ in points
    )


def figures(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return (
        int(status.split("VmRSS:")[1].split()[0]) * 1024,
        len(os.listdir(f"/proc/{process}/fd")),
        int(status.split("Threads:")[1].split()[0]),
    )


def main(seconds):
    with tempfile.TemporaryDirectory() as folder:
        corpus = pathlib.Path(folder, "corpus.txt")
        corpus.write_text("".join(words(random.Random(i), 20) + f" {i}\n" for i in range(1000)))
        server = Server(
            "--corpus",
            corpus,
            "--header-timeout",
            2,
            "--body-timeout",
            5,
            model=os.environ.get("CONTRASTIVE_SERVE_MODEL", MODEL),
        )
        ending, counts, memory, descriptors, threads = (
            threading.Event(),
            [0] * (CLIENTS + 1),
            [],
            [],
            [],
        )
        with concurrent.futures.ThreadPoolExecutor(CLIENTS + 1) as pool:
            clients = [
                pool.submit(client, server, number, ending, counts) for number in range(CLIENTS)
            ] + [pool.submit(misuser, server, ending, counts)]
            begin, reloads = time.monotonic(), 0
            while (now := time.monotonic() - begin) < seconds and not any(
                one.done() for one in clients
            ):
                if now > 20 * (reloads + 1):
                    reloads += 1
                    server.process.send_signal(signal.SIGHUP)
                resident, opened, running = figures(server.process.pid)
                if now > seconds / 10:
                    (
                        memory.append((now, resident)),
                        descriptors.append((now, opened)),
                        threads.append(running),
                    )
                time.sleep(1)
            ending.set()
            for one in clients:
                one.result()
        requests, batches = (
            server.metric("contrastive_texts_total"),
            server.metric("contrastive_batch_seconds_count"),
        )
        code = server.stop()
    window = memory[-1][0] - memory[0][0]
    growth, opened = slope(memory), slope(descriptors)
    print(
        json.dumps(
            {
                "seconds": round(seconds),
                "requests": sum(counts[:CLIENTS]),
                "misused": counts[CLIENTS],
                "texts": int(requests),
                "batches": int(batches),
                "reloads": reloads,
                "resident_mib": [round(memory[0][1] / 2**20, 1), round(memory[-1][1] / 2**20, 1)],
                "resident_kib_a_minute": round(growth * 60 / 1024, 2),
                "descriptors": [
                    min(value for _, value in descriptors),
                    max(value for _, value in descriptors),
                ],
                "descriptors_a_minute": round(opened * 60, 3),
                "threads": [min(threads), max(threads)],
                "exit_code": code,
            }
        )
    )
    problems = []
    if growth * window > MOST_GROWTH:
        problems.append(f"memory grew by {growth * window / 2**20:.1f} MiB in {window:.0f} s")
    if opened * window > 3:
        problems.append(f"descriptors grew by {opened * window:.1f}")
    if max(threads) > min(threads) + 1:
        problems.append(f"threads: {min(threads)} to {max(threads)}")
    if code != 0:
        problems.append(f"exit code {code}")
    if problems:
        sys.exit("; ".join(problems))


if __name__ == "__main__":
    main(float(sys.argv[1]))
