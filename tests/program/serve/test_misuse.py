"""Clients that misuse `contrastive serve`, many at a time. Each gets one clear answer or loses its
connection, memory stays bounded, and another client is served within a second meanwhile
(bystander.py)."""

import concurrent.futures
import contextlib
import json
import pathlib
import select
import socket
import struct
import time

from bystander import Bystander
from server import LONG, SANITIZED, Case, hard, read_all, wait_for

HEAD = b"POST /v1/embeddings HTTP/1.1\r\nHost: test\r\n"
MIB = 1 << 20


def flood(connection, block, seconds):
    """Sends a block again and again, for so long, or until the server has enough; how much it
    sent."""
    sent, until = 0, time.monotonic() + seconds
    connection.settimeout(0.2)
    while time.monotonic() < until:
        try:
            sent += connection.send(block)
        except TimeoutError:
            continue
        except OSError:
            break
    return sent


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def is_served(server):
    try:
        return server.ask("/health").status == 200
    except OSError:  # refused before the request was read
        return False


class Misuse(Case):
    arguments = ("--max-listed-tokens", 1000)

    def resident(self, server=None):
        if SANITIZED:
            return 0
        status = pathlib.Path(f"/proc/{(server or self.server).process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) * 1024

    @contextlib.contextmanager
    def connections(self, count, server=None):
        with contextlib.ExitStack() as stack:
            yield [stack.enter_context((server or self.server).socket(20)) for _ in range(count)]

    def all_answered(self, data, pattern, count=20):
        """`count` clients send the same bytes at once; each gets an answer that matches, and its
        connection ends."""
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            for answer in pool.map(lambda _: self.server.raw(data), range(count)):
                self.assertRegex(answer, pattern)

    def test_bodies_of_100_megabytes(self):
        def client(_):
            with self.server.socket(20) as connection:
                connection.sendall(HEAD + b"Content-Length: 104857600\r\n\r\n")
                flood(connection, b"x" * 65536, 3)
                connection.settimeout(20)
                return read_all(connection)

        before = self.resident()
        with (
            Bystander(self.server, "16 bodies of 100 MB"),
            concurrent.futures.ThreadPoolExecutor(16) as pool,
        ):
            for answer in pool.map(client, range(16)):
                self.assertIn(b"HTTP/1.1 413 ", answer)
        self.assertLess(self.resident() - before, 32 * MIB)

    def test_headers_and_bodies_that_do_not_come(self):
        server = self.start("--header-timeout", 2, "--body-timeout", 2)
        with (
            Bystander(server, "200 slow headers, 200 slow bodies of 16 MiB"),
            self.connections(400, server) as slow,
        ):
            for connection in slow[:200]:
                connection.sendall(HEAD[:20])
            for connection in slow[200:]:
                connection.sendall(HEAD + b"Content-Length: 16777216\r\n\r\n{")
            for _ in range(8):  # a byte now and then
                for connection in slow:
                    with contextlib.suppress(OSError):
                        connection.send(b" ")
                time.sleep(0.2)
            for connection in slow:
                self.assertIn(b"HTTP/1.1 408 ", read_all(connection))

    def test_more_idle_connections_than_there_is_place_for(self):
        wanted = min(10000, (hard - 500) // 2)
        server = self.start("--max-connections", wanted)
        with (
            Bystander(server, f"{wanted} idle connections, which are all that may be"),
            self.connections(wanted, server),
        ):
            wait_for(lambda: server.metric("contrastive_connections_evicted_total") > 0)
            self.assertEqual(server.metric("contrastive_connections_refused_total"), 0)
        with (
            Bystander(server, f"{wanted} connections with half of a header"),
            self.connections(wanted, server) as slow,
        ):
            for connection in slow:
                with contextlib.suppress(OSError):
                    connection.send(HEAD)
            time.sleep(1.2)

    def test_connections_that_are_reset(self):
        with Bystander(self.server, "500 connections that are reset"):
            for i in range(500):
                connection = self.server.socket()
                connection.sendall(
                    [
                        b"",
                        HEAD[:30],
                        HEAD + b"Content-Length: 1000\r\n\r\n{",
                        HEAD + b'Content-Length: 14\r\n\r\n{"input": "a"}',
                    ][i % 4]
                )
                reset(connection)
        wait_for(
            lambda: (
                self.server.metric("contrastive_body_bytes") == 0
                and self.server.metric("contrastive_queue_requests") == 0
            )
        )

    def test_requests_by_the_thousand_in_one_connection(self):
        one = HEAD + b'Content-Length: 14\r\n\r\n{"input": "a"}'
        last = HEAD + b'Connection: close\r\nContent-Length: 14\r\n\r\n{"input": "b"}'
        with Bystander(self.server, "1,000 requests in one piece"):
            self.assertEqual(self.server.raw(one * 999 + last).count(b"HTTP/1.1 200 "), 1000)
        before = self.resident()
        with (
            Bystander(self.server, "requests without end by one who reads no answer"),
            self.server.socket() as connection,
        ):
            flood(connection, one * 1000, 2)
        self.assertLess(self.resident() - before, 32 * MIB)

    def test_http_1_0(self):
        with Bystander(self.server, "HTTP/1.0"):
            self.all_answered(
                b'POST /v1/embeddings HTTP/1.0\r\nContent-Length: 14\r\n\r\n{"input": "a"}',
                rb"^HTTP/1\.0 200 ",
            )
            with self.server.socket() as connection:
                connection.sendall(b"GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                self.assertIn(b"keep-alive", connection.recv(4096))
                connection.sendall(b"GET /health HTTP/1.0\r\n\r\n")
                self.assertIn(b"HTTP/1.0 200 ", read_all(connection))

    def test_absurd_headers(self):
        for name, header, status in (
            ("of 1 MB", b"X: " + b"x" * MIB, b"431"),
            ("of 10,000 lines", b"".join(b"X-%d: 1\r\n" % i for i in range(10000)), b"431"),
            ("with a path of 1 MB", b"", b"431"),
            ("with two lengths", b"Content-Length: 3\r\nContent-Length: 4\r\n", b"400"),
            (
                "with a length and chunks",
                b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
                b"400",
            ),
            (
                "with chunks and a length",
                b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
                b"400",
            ),
            ("with another encoding", b"Transfer-Encoding: gzip\r\n", b"400"),
            ("with chunks inside an encoding", b"Transfer-Encoding: chunked, gzip\r\n", b"400"),
            ("with an encoding inside chunks", b"Transfer-Encoding: gzip, chunked\r\n", b"400"),
            (
                "with chunks inside chunks",
                b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                b"400",
            ),
            ("with a folded line", b"X: a\r\n b\r\n", b"400"),
            ("with a space before the colon", b"X : a\r\n", b"400"),
            ("with control characters", b"X: a\x00\x01\r\n", b"400"),
            (
                "with the whole range of bytes above",
                b"X: " + bytes(range(128, 256)) + b"\r\n",
                b"200",
            ),
        ):
            path = b"/health" + (b"x" * MIB if b"path" in name.encode() else b"")
            with self.subTest(header=name), Bystander(self.server, f"20 headers {name}"):
                self.all_answered(
                    b"GET "
                    + path
                    + b" HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
                    + header
                    + b"\r\n\r\n",
                    rb"^HTTP/1\.1 " + status,
                )

    def test_bodies_that_are_no_json(self):
        for name, body, status in (
            ("of invalid UTF-8", b'{"input": "' + b"\xff" * MIB + b'"}', b"400"),
            ("nested a million deep", b'{"input": ' + b"[" * MIB, b"400"),
            ("of a million objects", b'{"input": [' + b"{}," * MIB + b"{}]}", b"422"),
            ("of no JSON", b"x" * MIB, b"400"),
            ("of numbers", b'{"input": [' + b"1," * MIB + b"1]}", b"400"),
        ):
            with self.subTest(body=name), Bystander(self.server, f"20 bodies {name}"):
                data = HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
                self.all_answered(data, rb"^HTTP/1\.1 " + status)

    def test_chunks_without_end(self):
        chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
        for name, begin, block, status in (
            ("chunks", b"", b"10000\r\n" + b" " * 65536 + b"\r\n", b"413"),
            ("one chunk of an exabyte", b"fffffffffffffff\r\n", b" " * 65536, b"413"),
            ("a chunk's extension", b"1;", b"x" * 65536, b"400"),
            ("a chunk's number", b"", b"0" * 65536, b"400"),
            ("lines behind the last chunk", b"0\r\n", b"X: " + b"y" * 65000 + b"\r\n", b"400"),
        ):
            before = self.resident()
            with (
                self.subTest(without_end=name),
                Bystander(self.server, f"without end: {name}"),
                self.connections(4) as clients,
            ):
                with concurrent.futures.ThreadPoolExecutor(4) as pool:
                    for connection in clients:
                        connection.sendall(chunked + begin)
                    list(
                        pool.map(
                            lambda connection, block=block: flood(connection, block, 2), clients
                        )
                    )
                for connection in clients:
                    connection.settimeout(20)
                    self.assertRegex(read_all(connection), rb"^HTTP/1\.1 " + status)
            self.assertLess(self.resident() - before, 96 * MIB)  # four bodies of 16 MiB at most

    def test_answers_that_nobody_takes(self):
        server = self.start("--max-memory-bytes", 32 * MIB, "--body-timeout", 30)
        texts = [str(i) for i in range(700)]
        body = json.dumps({"a": texts, "b": texts}).encode()  # half a million scores, 5 MB
        request = (
            b"POST /similarity HTTP/1.1\r\nHost: test\r\nContent-Length: %d\r\n\r\n" % len(body)
            + body
        )
        before = self.resident(server)
        with (
            Bystander(server, "60 who take no answer of 5 MB"),
            self.connections(60, server) as clients,
        ):
            for connection in clients:
                connection.sendall(request)
            wait_for(
                lambda: server.metric('contrastive_requests_total{route="/similarity",code="503"}')
            )
            wait_for(lambda: server.metric("contrastive_queue_requests") == 0)
            self.assertLess(self.resident(server) - before, 160 * MIB)
            answered = [
                connection for connection in clients if select.select([connection], [], [], 0)[0]
            ]
            self.assertGreater(len(answered), 0)
            for connection in (
                answered
            ):  # whoever reads now gets a whole answer: the scores, or why there are none
                head, _, rest = connection.recv(65536).partition(b"\r\n\r\n")
                length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
                while len(rest) < length:
                    rest += connection.recv(1 << 20)
                self.assertIn(b"503" if b"error" in rest[:10] else b"200", head[:15])
                json.loads(rest)

    def test_connections_that_read_no_answer(self):
        server = self.start("--max-connections", 20)
        with contextlib.ExitStack() as stack:
            for _ in range(20):
                stack.enter_context(server.unread())
            time.sleep(0.2)
            # Once their answers fill the system's buffers, and none has moved for a second: of one
            # after the other.
            wait_for(
                lambda: all(is_served(server) and time.sleep(0.1) is None for _ in range(15)), 60
            )
            with Bystander(server, "20 connections that read no answer, which are all that may be"):
                time.sleep(1)
            self.assertGreater(server.metric("contrastive_connections_evicted_total"), 0)

    def test_what_the_system_holds_for_those_who_read_nothing(self):
        server = self.start("--max-connections", 400)
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(server.unread()) for _ in range(100)]
            held = lambda: server.sent_and_not_taken()
            wait_for(
                lambda: held() == (time.sleep(1), held())[1] and len(held()) >= len(clients)
            )  # each is as full as it gets
            most, total = max(held()), sum(held())
            print(
                f"{len(clients)} connections that read nothing: the system holds "
                f"{total / MIB:.1f} MiB of answers for them, {most >> 10} KiB for one at most"
            )
            self.assertGreater(most, 0)
            self.assertLess(most, 512 << 10)

    def test_long_texts_in_tokenize_and_embeddings(self):
        text = json.dumps({"input": "the cat sat on the mat " * (6 * MIB // 23)}).encode()
        for path, status in (("/tokenize", b"422"), ("/v1/embeddings", b"200")):
            head = (
                b"POST %s HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                % (path.encode(), len(text))
            )
            with Bystander(self.server, f"4 texts of 6 MiB for {path}"):
                self.all_answered(head + text, rb"^HTTP/1\.1 " + status, 4)

    def test_one_who_asks_for_all(self):
        # Requests that alone are larger than the queue: what a small one waits in is not theirs.
        server = self.start(
            "--max-texts",
            20000,
            "--threads",
            1,
            "--max-batch-tokens",
            32,
            "--max-queue-tokens",
            100000,
        )
        with (
            Bystander(server, "4 requests of 20,000 texts"),
            concurrent.futures.ThreadPoolExecutor(4) as pool,
        ):
            statuses = list(pool.map(lambda _: server.ask("/v1/embeddings", LONG).status, range(4)))
        self.assertIn(200, statuses)
        self.assertEqual(set(statuses) - {200, 429}, set())

    def test_pages_of_other_sites(self):
        ask = lambda **headers: self.server.ask(
            "/v1/embeddings",
            {"input": "a"},
            headers={name.title(): value for name, value in headers.items()},
        )
        port = self.server.port
        for own in (
            f"127.0.0.1:{port}",
            f"localhost:{port}",
            f"[::1]:{port}",
            f"gpu:{port}",
            f"app.localhost:{port}",
        ):
            self.assertEqual(ask(host=own, origin=f"http://{own}").status, 200, own)
        for host, origin in (
            (f"127.0.0.1:{port}", "http://evil.example"),
            (f"127.0.0.1:{port}", "null"),
            (f"127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}"),
            ("localhost", "http://evil.example"),
        ):
            error = self.refused(
                ask(host=host, origin=origin), 403, "foreign_origin", "--allow-origin"
            )
            self.assertEqual(error["type"], "permission_error")
        server = self.start("--allow-origin", "https://a.example,https://b.example")
        self.assertEqual(
            server.ask(
                "/tokenize",
                {"input": "a"},
                headers={"Host": "inner", "Origin": "https://b.example"},
            ).status,
            200,
        )
        server = self.start(environment={"CONTRASTIVE_API_KEY": "key"})
        headers = {"Origin": "https://a.example", "Authorization": "Bearer key"}
        self.assertEqual(
            server.ask("/tokenize", {"input": "a"}, headers=headers).status, 200
        )  # who has a key may

    def test_names_that_are_not_the_servers(self):
        port = self.server.port
        for path in (
            "/",
            "/info",
            "/metrics",
            "/v1/models",
            "/health",
            "/openapi.json",
        ):  # a page of evil.example, which leads to 127.0.0.1 by now, GETs them
            reply = self.server.ask(path, headers={"Host": f"evil.example:{port}"})
            self.refused(
                reply,
                403,
                "foreign_host",
                "'evil.example:",
                "a proxy",
                "--allow-origin https://evil.example",
            )
        for host in (
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "EVIL.EXAMPLE",
            "[evil.example",
            "evil.example.",
        ):
            self.refused(self.server.ask("/info", headers={"Host": host}), 403, "foreign_host")
        for host in (
            f"127.0.0.1:{port}",
            "LOCALHOST",
            f"[::1]:{port}",
            f"gpu:{port}",
            f"app.localhost:{port}",
            "",
        ):
            self.assertEqual(self.server.ask("/info", headers={"Host": host}).status, 200, host)
        server = self.start(
            "--allow-origin", "https://api.example"
        )  # the name that a proxy passes on
        self.assertEqual(server.ask("/info", headers={"Host": "api.example"}).status, 200)
        self.assertEqual(server.ask("/info", headers={"Host": "API.example:443"}).status, 200)
        self.refused(server.ask("/info", headers={"Host": "b.api.example"}), 403, "foreign_host")
        server = self.start(environment={"CONTRASTIVE_API_KEY": "key"})  # the key decides
        self.assertEqual(
            server.ask(
                "/info", headers={"Host": "api.example", "Authorization": "Bearer key"}
            ).status,
            200,
        )
        server = self.start("--host", "0.0.0.0")  # whoever reaches it may ask, by any name
        self.assertEqual(server.ask("/info", headers={"Host": "api.example"}).status, 200)
