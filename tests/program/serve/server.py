"""A server of `contrastive serve` for a test, and a client of few lines. The program and the
fixtures come from the environment, as CMakeLists.txt sets them."""

import http.client
import json
import os
import pathlib
import resource
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["CONTRASTIVE_SERVE_PROGRAM"]
FIXTURES = pathlib.Path(os.environ["CONTRASTIVE_SERVE_FIXTURES"])
MODEL = FIXTURES / "models" / "bert_st"
TEXTS = [
    "the cat sat on the mat.",
    "A dog",
    "Two birds fly over the old house; the café is closed!",
    "",
    "red",
    "a cat sits",
]
SANITIZED = (
    "CONTRASTIVE_SANITIZED" in os.environ
)  # by sanitizers.sh: memory is not the program's alone, and everything is slower
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith("CONTRASTIVE_")
}

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


# A request that takes seconds with the smallest of models: every text is a batch of its own.
LONG = {"input": ["the cat sat on the mat and a dog slept " * 12 + str(i) for i in range(20000)]}
SLOWLY = ("--max-texts", 20000, "--max-batch-tokens", 1, "--threads", 1)
# One that takes five times as long.
LONGER = {"input": LONG["input"] * 5}
SLOWER = ("--max-texts", 100000, *SLOWLY[2:], "--max-body-bytes", 64 << 20)


class Reply:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


class Server:
    """Runs from its making to stop(). `environment` adds variables, `descriptors` limits its open
    files."""

    def __init__(self, *arguments, model=MODEL, environment=None, descriptors=None):
        self.errors = tempfile.TemporaryFile()  # lives as long as this: its end may be asked for
        command = [
            PROGRAM,
            "serve",
            "--model",
            str(model),
            "--port",
            "0",
            "--json",
            "--no-progress",
            *map(str, arguments),
        ]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env={**ENVIRONMENT, **(environment or {})},
            preexec_fn=descriptors
            and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))),
        )
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the server did not start: {self.stderr()}")
        self.port = json.loads(line)["port"]
        self.url = json.loads(line)["url"]

    def stderr(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def socket(self, timeout=60):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def unread(self):
        """A connection that asks for 25 MB of answers in one piece, and reads none."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(0.5)
        connection.connect(("127.0.0.1", self.port))
        try:
            connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: test\r\n\r\n" * 2400)
        except TimeoutError:
            pass  # what the server does not take of it is not needed
        return connection

    def sent_and_not_taken(self):
        """Of each connection that the system holds answers for, how many bytes: the column tx_queue
        of /proc/net/tcp."""
        rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        queues = [
            int(row[4].partition(":")[0], 16)
            for row in rows
            if row[1].endswith(f":{self.port:04X}") and row[3] != "0A"
        ]
        return [size for size in queues if size > 0]

    def processor_seconds(self):
        """That the process has used since its start."""
        fields = (
            pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def begin_long(self, body=None):
        """Sends LONG (or LONGER) to a server that was started SLOWLY (or SLOWER), and comes back
        when it is being embedded."""
        connection = self.connect()
        connection.request("POST", "/v1/embeddings", json.dumps(body or LONG))
        wait_for(
            lambda: (self.metric("contrastive_queue_requests") or 0) >= 1
        )  # none: every connection is busy, and /metrics got 503
        return connection

    def ask(self, path, body=None, method=None, headers=None, connection=None):
        own = connection or self.connect()
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        own.request(method or ("GET" if body is None else "POST"), path, body, headers or {})
        reply = Reply(own.getresponse())
        if connection is None:
            own.close()
        return reply

    def raw(self, data, timeout=60):
        """Sends bytes, and reads until the server ends the connection."""
        with self.socket(timeout) as connection:
            connection.sendall(data)
            return read_all(connection)

    def metric(self, name):
        for line in self.ask("/metrics").body.decode().splitlines():
            if line.rpartition(" ")[0] == name:
                return float(line.rpartition(" ")[2])
        return None

    def stop(self, number=signal.SIGTERM, timeout=60):
        """The exit code; a server that does not end is killed, and the test fails."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("the server did not stop") from None
        finally:
            self.process.stdout.close()
        return code


def wait_for(what, seconds=60):
    """What `what` gives, as soon as that is something."""
    until = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > until:
            raise AssertionError("it did not come about")
        time.sleep(0.02)
    return found


def read_all(connection):
    parts = []
    while True:
        try:
            part = connection.recv(1 << 16)
        except ConnectionResetError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)


def encode(texts, *arguments, model=MODEL):
    """What cs_encode makes of the texts, by `contrastive encode`: a list of vectors."""
    with tempfile.TemporaryDirectory() as folder:
        rows, vectors = pathlib.Path(folder, "texts.jsonl"), pathlib.Path(folder, "vectors.f32")
        rows.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        subprocess.run(
            [
                PROGRAM,
                "encode",
                "--model",
                str(model),
                "--input",
                rows,
                "--output",
                vectors,
                "--quiet",
                *arguments,
            ],
            check=True,
            env=ENVIRONMENT,
        )
        floats = [value for (value,) in struct.iter_unpack("<f", vectors.read_bytes())]
    width = len(floats) // len(texts)
    return [floats[at : at + width] for at in range(0, len(floats), width)]


def run(*arguments, environment=None):
    """A server that is not meant to start: (exit code, standard error)."""
    command = [PROGRAM, "serve", *map(str, arguments)]
    done = subprocess.run(
        command,
        capture_output=True,
        timeout=60,
        env={**ENVIRONMENT, **(environment or {})},
        check=False,
    )
    return done.returncode, done.stderr.decode(errors="replace")


class Case(unittest.TestCase):
    """`arguments` start the server that the tests of a class share; None: each starts its own."""

    arguments = None

    @classmethod
    def setUpClass(cls):
        cls.server = None if cls.arguments is None else Server(*cls.arguments)

    @classmethod
    def tearDownClass(cls):
        if cls.server is not None and cls.server.stop() != 0:
            raise AssertionError(f"the server did not end well: {cls.server.stderr()}")

    def start(self, *arguments, **others):
        server = Server(*arguments, **others)
        self.addCleanup(server.stop)
        return server

    def near(self, ours, theirs, most=2e-6):
        """Equal but for the last bits, which depend on the texts around one."""
        self.assertEqual(len(ours), len(theirs))
        for a, b in zip(ours, theirs):
            self.assertEqual(len(a), len(b))
            for x, y in zip(a, b):
                self.assertLessEqual(abs(x - y), most)

    def refused(self, reply, status, code, *words):
        self.assertEqual(reply.status, status, reply.body)
        error = reply.error
        self.assertEqual(set(error), {"message", "type", "param", "code"})
        self.assertEqual(error["code"], code)
        for word in words:
            self.assertIn(word, error["message"])
        return error
