"""What `contrastive serve` does with too much, too slow and too many: one clear answer, and the
others go on being served."""

import concurrent.futures
import json
import pathlib
import socket
import tempfile
import time

from server import (
    LONG,
    LONGER,
    SANITIZED,
    SLOWER,
    SLOWLY,
    TEXTS,
    Case,
    encode,
    hard,
    read_all,
    wait_for,
)


def request(path, body, *headers):
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: test",
        f"Content-Length: {len(body)}",
        *headers,
        "",
        "",
    ]
    return "\r\n".join(lines).encode() + body


class Bodies(Case):
    arguments = ("--max-body-bytes", 1 << 20, "--max-texts", 4)

    def test_a_body_of_100_megabytes(self):
        with self.server.socket() as connection:
            connection.sendall(
                b"POST /v1/embeddings HTTP/1.1\r\nHost: test\r\nContent-Length: 104857600\r\n\r\n"
            )
            block, sent = b"x" * 65536, 0
            try:
                while sent < 104857600:
                    connection.sendall(block)
                    sent += len(block)
            except OSError:
                pass  # the server has heard enough
            answer = read_all(connection)
        self.assertIn(b"HTTP/1.1 413 ", answer)
        self.assertIn(b"1048576 bytes", answer)
        self.assertEqual(self.server.ask("/health").status, 200)

    def test_a_body_in_chunks(self):
        body = b'{"input": "A dog"}'
        chunks = (
            b"".join(b"%x\r\n%s\r\n" % (1, body[i : i + 1]) for i in range(len(body)))
            + b"0\r\n\r\n"
        )
        head = (
            b"POST /v1/embeddings HTTP/1.1\r\nHost: test\r\n"
            b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        )
        self.assertIn(b"HTTP/1.1 200 ", self.server.raw(head + chunks))
        long = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        self.assertIn(b"HTTP/1.1 413 ", self.server.raw(head + long * 17 + b"0\r\n\r\n"))

    def test_expect_100(self):
        body = b'{"input": "A dog"}'
        with self.server.socket() as connection:
            connection.sendall(
                request("/v1/embeddings", body, "Expect: 100-continue", "Connection: close")[
                    : -len(body)
                ]
            )
            self.assertEqual(connection.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(body)
            self.assertIn(b"HTTP/1.1 200 ", read_all(connection))
        head = (
            b"POST /v1/embeddings HTTP/1.1\r\nHost: test\r\n"
            b"Content-Length: 104857600\r\nExpect: 100-continue\r\n\r\n"
        )
        with self.server.socket() as connection:
            connection.sendall(head)
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 413 "))

    def test_texts_of_one_request(self):
        self.assertEqual(self.server.ask("/v1/embeddings", {"input": ["a"] * 4}).status, 200)
        self.refused(
            self.server.ask("/v1/embeddings", {"input": ["a"] * 5}),
            422,
            "too_many_texts",
            "5 texts",
            "4",
        )

    def test_what_is_no_http(self):
        for bad in (
            b"hello\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 10,
            b"GET /\x00 HTTP/1.1\r\n\r\n",
            b"POST /v1/embeddings HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        ):
            answer = self.server.raw(bad)
            self.assertRegex(answer, rb"^HTTP/1.1 4\d\d ", bad)
            self.assertIn(b'"error"', answer)
        answer = self.server.raw(b"GET /health HTTP/1.1\r\nX-Long: " + b"x" * 100000 + b"\r\n\r\n")
        self.assertIn(b"HTTP/1.1 431 ", answer)

    def test_requests_that_come_together(self):
        one = request("/v1/embeddings", b'{"input": "A dog"}')
        last = request("/v1/embeddings", b'{"input": "red"}', "Connection: close")
        self.assertEqual(self.server.raw(one * 5 + last).count(b"HTTP/1.1 200 "), 6)

    def test_a_connection_is_kept(self):
        connection = self.server.connect()
        for _ in range(20):
            self.assertEqual(
                self.server.ask("/v1/embeddings", {"input": "A dog"}, connection=connection).status,
                200,
            )
            self.assertEqual(self.server.ask("/nowhere", connection=connection).status, 404)
        accepted = self.server.metric("contrastive_connections_accepted_total")
        self.server.ask("/health", connection=connection)
        self.assertEqual(
            self.server.metric("contrastive_connections_accepted_total"), accepted + 1
        )  # the one that asked for it
        connection.close()


class Slow(Case):
    arguments = ("--header-timeout", 1, "--body-timeout", 1, "--idle-timeout", 2)

    def test_a_slow_header(self):
        with self.server.socket() as connection:
            connection.sendall(b"GET /hea")
            answer = read_all(connection)
        self.assertIn(b"HTTP/1.1 408 ", answer)

    def test_a_slow_body(self):
        begin = time.monotonic()
        with self.server.socket() as connection:
            connection.sendall(
                b"POST /v1/embeddings HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n{"
            )
            for _ in range(10):  # a byte now and then is no progress
                time.sleep(0.2)
                try:
                    connection.sendall(b" ")
                except OSError:
                    break
            answer = read_all(connection)
        self.assertIn(b"HTTP/1.1 408 ", answer)
        self.assertLess(time.monotonic() - begin, 20)

    def test_a_client_that_takes_no_answer(self):
        timeouts = self.server.metric("contrastive_timeouts_total")
        texts = [f"{i}" for i in range(1000)]
        body = json.dumps({"a": texts, "b": texts}).encode()  # a million scores
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", self.server.port))
            connection.sendall(request("/similarity", body))
            wait_for(lambda: self.server.metric("contrastive_timeouts_total") > timeouts)
        self.assertEqual(self.server.metric("contrastive_timeouts_total"), timeouts + 1)

    def test_an_idle_connection_ends(self):
        with self.server.socket() as connection:
            self.assertEqual(connection.recv(1), b"")


class Many(Case):
    def test_idle_connections_are_cheap(self):
        wanted = min(10000, hard - 500)
        server = self.start("--max-connections", wanted + 100)

        def resident():
            status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
            return int(status.split("VmRSS:")[1].split()[0]) * 1024

        server.ask("/v1/embeddings", {"input": TEXTS})
        before, sockets = resident(), []
        try:
            for _ in range(wanted):
                sockets.append(server.socket())
            begin = time.monotonic()
            reply = server.ask("/v1/embeddings", {"input": "A dog"})
            seconds = time.monotonic() - begin
            self.near([reply.json["data"][0]["embedding"]], encode(["A dog"]))
            wait_for(lambda: server.metric("contrastive_connections") >= wanted)
            each = (resident() - before) / wanted
            print(
                f"{wanted} idle connections: {each:.0f} bytes each, a request among them "
                f"{1000 * seconds:.0f} ms"
            )
            self.assertLess(seconds, 10)
            self.assertTrue(SANITIZED or each < 4096, each)
        finally:
            for connection in sockets:
                connection.close()

    def test_more_connections_than_allowed(self):
        server = self.start(*SLOWLY, "--max-connections", 2)
        idle = [server.socket() for _ in range(2)]
        self.assertEqual(server.ask("/health").status, 200)
        self.assertEqual(idle[0].recv(1), b"")  # the one that was idle for longest made room
        held = [server.begin_long()]
        time.sleep(0.3)  # by now the connection that asked for the queue has left
        held.append(server.socket())
        held[1].sendall(b"GET /health HTTP/1.1\r\n")
        time.sleep(0.2)  # now one is busy, and the other has just begun
        with server.socket() as third:
            answer = read_all(third)
        self.assertIn(b"HTTP/1.1 503 ", answer)
        self.assertIn(b"Retry-After: 1", answer)
        self.assertIn(b"too_many_connections", answer)
        for connection in [*idle, *held]:
            connection.close()
        wait_for(lambda: server.ask("/health").status == 200)

    def test_many_clients_get_their_own_vectors(self):
        server = self.start()
        words = "the cat sat on a mat red dog birds fly over old house".split()
        texts = [
            " ".join(words[(i * k) % len(words)] for k in range(1, 2 + i % 11)) + f" {i}"
            for i in range(256)
        ]
        expected = encode(texts)

        def client(number):
            connection, places = (
                server.connect(),
                [(number * 7 + step) % len(texts) for step in range(40)],
            )
            answers = []
            for at in places:
                some = [at, (at + 1) % len(texts), (at + 2) % len(texts)][: 1 + at % 3]
                reply = server.ask(
                    "/v1/embeddings", {"input": [texts[i] for i in some]}, connection=connection
                )
                answers.append(
                    (some, reply.status, [row["embedding"] for row in reply.json["data"]])
                )
            connection.close()
            return answers

        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            answers = [answer for list_ in pool.map(client, range(32)) for answer in list_]
        self.assertEqual(len(answers), 32 * 40)
        for some, status, vectors in answers:
            self.assertEqual(status, 200)
            self.near(vectors, [expected[i] for i in some])
        requests, batches = (
            server.metric("contrastive_batch_requests_total"),
            server.metric("contrastive_batch_seconds_count"),
        )
        self.assertGreater(requests, batches)  # some were embedded together

    def test_overload_loses_nothing(self):
        server = self.start("--max-queue-requests", 2, "--max-queue-tokens", 3000, "--threads", 1)
        texts = [f"the cat sat on the mat {i} times and a dog slept" for i in range(200)]
        expected = encode(texts)

        def client(_):
            counts = {}
            for _ in range(6):
                reply = server.ask("/v1/embeddings", {"input": texts})
                counts[reply.status] = counts.get(reply.status, 0) + 1
                if reply.status == 200:
                    self.near([row["embedding"] for row in reply.json["data"]], expected)
                else:
                    self.refused(reply, 429, "queue_full")
                    self.assertGreaterEqual(int(reply.headers["Retry-After"]), 1)
            return counts

        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            counts = list(pool.map(client, range(24)))
        taken, refused = (sum(count.get(status, 0) for count in counts) for status in (200, 429))
        self.assertEqual(taken + refused, 24 * 6)
        self.assertGreater(taken, 0)
        self.assertGreater(refused, 0, "nothing was ever refused: the test asks for too little")
        self.assertEqual(
            server.metric('contrastive_requests_total{route="/v1/embeddings",code="429"}'), refused
        )
        self.assertEqual(server.metric("contrastive_texts_total"), taken * len(texts))
        self.assertEqual(
            (
                server.metric("contrastive_queue_requests"),
                server.metric("contrastive_queue_tokens"),
            ),
            (0, 0),
        )

    def test_more_bodies_than_there_is_room_for(self):
        server = self.start("--max-memory-bytes", 1 << 20)
        head = b"POST /v1/embeddings HTTP/1.1\r\nHost: test\r\nContent-Length: 700000\r\n\r\n"
        with server.socket() as first, server.socket() as second:
            second.sendall(head)  # what is only announced takes no room
            self.assertEqual(server.ask("/v1/embeddings", {"input": "x" * 200000}).status, 200)
            first.sendall(head + b"{" * 699999)
            wait_for(lambda: server.metric("contrastive_body_bytes") >= 699999)
            self.refused(
                server.ask("/v1/embeddings", {"input": "x" * 200000}), 429, "overloaded", "later"
            )
            self.assertEqual(server.ask("/v1/embeddings", {"input": "x"}).status, 200)
            second.sendall(b"{" * 200000)
            self.assertIn(b"HTTP/1.1 429 ", second.recv(100))
        wait_for(lambda: server.metric("contrastive_body_bytes") == 0)

    def test_answers_that_do_not_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            corpus = pathlib.Path(folder, "corpus.txt")
            corpus.write_text("".join(f"{i} " + "the cat sat " * 1000 + "\n" for i in range(500)))
            server = self.start(
                "--corpus", corpus, "--max-length", 8, "--max-memory-bytes", 4 << 20
            )
            most = lambda: (
                int(
                    pathlib.Path(f"/proc/{server.process.pid}/status")
                    .read_text()
                    .split("VmHWM:")[1]
                    .split()[0]
                )
                * 1024
            )
            before = most()
            for path, body in (
                ("/search", {"query": ["a"] * 20, "top_k": 500}),  # 120 MB
                ("/similarity", {"a": ["a"] * 1000, "b": ["b"] * 1000}),  # 20 MB
                (
                    "/v1/embeddings",
                    {"input": "a", "model": "\x7f" * 800000},
                ),  # which is echoed: 5 MB
                ("/tokenize", {"input": "a " * 60000}),
            ):  # 3 MB, and the tokenizer's buffers
                self.refused(
                    server.ask(path, json.dumps(body, ensure_ascii=False)),
                    422,
                    "answer_too_large",
                    "--max-memory-bytes",
                )
            self.assertTrue(SANITIZED or most() - before < 64 << 20, most() - before)
            hits = server.ask("/search", {"query": "the cat", "top_k": 50}).json["results"][0][
                "hits"
            ]
            self.assertEqual((len(hits), len({hit["text"] for hit in hits})), (50, 50))
            self.assertEqual(server.metric("contrastive_body_bytes"), 0)

    def test_embeddings_in_flight_are_counted(self):
        server = self.start(*SLOWLY, "--max-memory-bytes", 40 << 20)
        connection = (
            server.begin_long()
        )  # 20,000 vectors of 32 numbers, their texts and the answer: 27 MB
        self.assertGreater(server.metric("contrastive_body_bytes"), 24 << 20)
        self.refused(
            server.ask("/v1/embeddings", {"input": ["a"] * 7000}), 503, "overloaded", "later"
        )
        connection.close()
        wait_for(lambda: server.metric("contrastive_body_bytes") == 0)

    def test_a_client_that_goes_away(self):
        server = self.start(*SLOWER)
        server.begin_long(LONGER).close()
        wait_for(lambda: server.metric("contrastive_abandoned_total") == 1)
        wait_for(lambda: server.metric("contrastive_queue_requests") == 0)
        self.assertEqual(
            (server.metric("contrastive_queue_tokens"), server.metric("contrastive_texts_total")),
            (0, 0),
        )
        self.assertEqual(server.ask("/v1/embeddings", {"input": "A dog"}).status, 200)
