"""How `contrastive serve` begins again and ends: SIGHUP under load, a model folder that disappears,
SIGTERM while requests run."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import tempfile
import threading
import time

from server import FIXTURES, LONG, MODEL, SLOWLY, TEXTS, Case, encode, wait_for


class Reload(Case):
    def test_sighup_under_load_drops_nothing(self):
        server = self.start()
        expected, ending, failures, answered = encode(TEXTS), threading.Event(), [], []

        def client():
            connection = server.connect()
            while True:
                reply = server.ask("/v1/embeddings", {"input": TEXTS}, connection=connection)
                if reply.status != 200:
                    failures.append(reply.body)
                    return
                self.near([row["embedding"] for row in reply.json["data"]], expected)
                answered.append(1)
                if ending.is_set():
                    return connection.close()

        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            clients = [pool.submit(client) for _ in range(200)]
            for _ in range(10):
                server.process.send_signal(signal.SIGHUP)
                time.sleep(0.1)
            wait_for(lambda: server.metric('contrastive_reloads_total{result="ok"}') >= 2)
            ending.set()
            for done in clients:
                done.result()
        self.assertEqual(failures, [])
        self.assertGreater(len(answered), 200)
        self.assertEqual(server.metric('contrastive_reloads_total{result="failed"}'), 0)

    def test_a_model_folder_that_disappears(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder, "model")
            shutil.copytree(MODEL, model)
            server = self.start(model=model)
            expected = encode(TEXTS)
            shutil.rmtree(model)
            self.near(
                [
                    row["embedding"]
                    for row in server.ask("/v1/embeddings", {"input": TEXTS}).json["data"]
                ],
                expected,
            )
            server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: server.metric('contrastive_reloads_total{result="failed"}') == 1)
            self.assertIn("the old model and keys stay in use", server.stderr())
            self.near(
                [
                    row["embedding"]
                    for row in server.ask("/v1/embeddings", {"input": TEXTS}).json["data"]
                ],
                expected,
            )
            shutil.copytree(FIXTURES / "models" / "bert_st_old", model)
            server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: server.metric('contrastive_reloads_total{result="ok"}') == 1)
            self.near(
                [
                    row["embedding"]
                    for row in server.ask("/v1/embeddings", {"input": TEXTS}).json["data"]
                ],
                encode(TEXTS, model=model),
            )

    def test_corpus_and_keys_are_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            corpus, keys = pathlib.Path(folder, "corpus.txt"), pathlib.Path(folder, "keys.txt")
            corpus.write_text("a dog\n")
            keys.write_text("old\n")
            server = self.start("--corpus", corpus, "--api-key-file", keys)
            ask = lambda key: server.ask(
                "/search", {"query": "red", "top_k": 1}, headers={"Authorization": f"Bearer {key}"}
            )
            self.assertEqual(ask("old").json["results"][0]["hits"][0]["text"], "a dog")
            corpus.write_text("a dog\nred\n")
            keys.write_text("new\n")
            server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: ask("new").status == 200)
            self.assertEqual(ask("new").json["results"][0]["hits"][0]["text"], "red")
            self.assertEqual(ask("old").status, 401)

    def test_a_reload_with_keys_that_no_header_can_carry(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder, "keys.txt")
            keys.write_text("old\n")
            server = self.start("--api-key-file", keys)
            ask = lambda key: server.ask("/metrics", headers={"Authorization": f"Bearer {key}"})
            self.assertEqual(ask("old").status, 200)  # it listens for SIGHUP from here on
            for count, bad in enumerate(
                ("new\n".encode("utf-16"), b"\n# none\n", b"\xef\xbb\xbfnew\n"), 1
            ):
                keys.write_bytes(bad)
                server.process.send_signal(signal.SIGHUP)
                wait_for(
                    lambda: (
                        f'reloads_total{{result="failed"}} {count}\n'.encode() in ask("old").body
                    )
                )
                self.assertEqual(server.ask("/info").status, 401)


class Descriptors(Case):
    def test_few_descriptors(self):
        for descriptors in (24, 32, 64):
            server = self.start(descriptors=descriptors)
            idle = [server.socket() for _ in range(descriptors)]
            self.assertEqual(server.ask("/v1/embeddings", {"input": "a"}).status, 200, descriptors)
            self.assertEqual(idle[0].recv(1), b"")  # the oldest idle connection made room
            server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: server.metric('contrastive_reloads_total{result="ok"}') == 1, 20)
            for connection in idle:
                connection.close()


class Stop(Case):
    def test_what_runs_is_finished(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.start(*SLOWLY, "--stop-timeout", 300)  # a slow machine may take its time
            idle, connection = server.socket(), server.begin_long()
            server.process.send_signal(number)
            response = connection.getresponse()
            self.assertEqual((response.status, response.headers["Connection"]), (200, "close"))
            self.assertEqual(len(json.loads(response.read())["data"]), len(LONG["input"]))
            self.assertEqual(idle.recv(1), b"")
            self.assertEqual(server.process.wait(30), 0)
            with self.assertRaises(OSError):
                socket.create_connection(("127.0.0.1", server.port), timeout=5).close()
            server.stop()

    def test_what_runs_is_finished_where_a_reload_waits_for_its_corpus(self):
        with tempfile.TemporaryDirectory() as folder:
            corpus = pathlib.Path(folder, "corpus.txt")
            corpus.write_text("a dog\n")
            server = self.start(*SLOWLY, "--stop-timeout", 300, "--corpus", corpus)
            self.assertEqual(
                server.ask("/health").status, 200
            )  # it listens for SIGHUP from here on
            corpus.unlink()
            os.mkfifo(corpus)
            server.process.send_signal(signal.SIGHUP)
            writer = wait_for(lambda: self.opened(corpus))  # the reload reads, and nothing comes
            connection = server.begin_long()
            server.process.send_signal(signal.SIGTERM)
            response = connection.getresponse()
            self.assertEqual(
                (response.status, len(json.loads(response.read())["data"])),
                (200, len(LONG["input"])),
            )
            self.assertEqual(server.process.wait(60), 0)
            os.close(writer)
            server.stop()

    @staticmethod
    def opened(fifo):
        """A descriptor for writing, or None if the pipe has no reader."""
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return None

    def test_what_takes_too_long_is_given_up(self):
        server = self.start(*SLOWLY, "--stop-timeout", 0)
        connection = server.begin_long()
        begin = time.monotonic()
        self.assertEqual(server.stop(), 1)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertIn("were not finished", server.stderr())
        connection.close()

    def test_a_search_that_takes_too_long_is_given_up(self):
        rows, queries, vector = (
            500000,
            20000,
            encode(["red"])[0],
        )  # minutes, by a metric that is no product of matrices
        with tempfile.TemporaryDirectory() as folder:
            corpus, vectors = pathlib.Path(folder, "corpus.txt"), pathlib.Path(folder, "corpus.npy")
            corpus.write_text("red\n" * rows)
            header = (
                repr({"descr": "<f4", "fortran_order": False, "shape": (rows, len(vector))}).ljust(
                    117
                )
                + "\n"
            )
            values = struct.pack(f"<{len(vector)}f", *vector) * rows
            vectors.write_bytes(
                b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + values
            )
            server = self.start(
                "--max-texts",
                queries,
                "--threads",
                1,
                "--stop-timeout",
                0,
                "--metric",
                "manhattan",
                "--corpus",
                corpus,
                "--embeddings",
                vectors,
            )
            before = server.metric("contrastive_batch_texts_total")
            connection = server.connect()
            connection.request(
                "POST", "/search", json.dumps({"query": ["red"] * queries, "top_k": 1})
            )
            wait_for(
                lambda: server.metric("contrastive_batch_texts_total") == before + queries
            )  # embedded: the search begins
            begin = time.monotonic()
            self.assertEqual(server.stop(), 1)
            self.assertLess(time.monotonic() - begin, 10)
            connection.close()

    def test_a_client_that_reads_no_answer_holds_up_no_stop(self):
        for seconds in (30, 1):  # given up before the end, and at the end
            server = self.start("--stop-timeout", seconds)
            with server.unread():
                time.sleep(2)
                begin = time.monotonic()
                self.assertEqual(server.stop(), 0, server.stderr())
                self.assertLess(time.monotonic() - begin, 15)
                self.assertNotIn("were not finished", server.stderr())

    def test_a_client_that_reads_slowly_has_its_answer_of_a_stopping_server(self):
        server = self.start()
        texts = [str(i) for i in range(700)]
        connection = server.connect()
        connection.sock = socket.socket()
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.sock.connect(("127.0.0.1", server.port))
        connection.request("POST", "/similarity", json.dumps({"a": texts, "b": texts}))
        response = connection.getresponse()
        server.process.send_signal(signal.SIGTERM)
        parts, until = [], time.monotonic() + 8  # longer than one who takes nothing would have
        while time.monotonic() < until:
            parts.append(response.read(40000))
            time.sleep(0.1)
        parts.append(response.read())
        self.assertEqual(len(json.loads(b"".join(parts))["scores"]), len(texts))
        self.assertEqual(server.process.wait(30), 0)  # a second signal would end it at once
        server.stop()

    def test_an_idle_server_stops_at_once(self):
        server = self.start()
        held = [server.socket() for _ in range(50)]
        begin = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - begin, 10)
        for connection in held:
            connection.close()
