"""What HTTP itself wants of `contrastive serve`: RFC 9110 and 9112 about framing, hosts, encodings,
dates and half-closed connections."""

import email.utils
import gzip
import json
import re
import socket
import time

from server import LONGER, SLOWER, Case, read_all

BODY = b'{"input":"a cat"}'
NEXT = b"GET /health HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"


def post(*headers, version=1, body=BODY):
    lines = [f"POST /v1/embeddings HTTP/1.{version}", "Host: test", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


class Framing(Case):
    arguments = ("--idle-timeout", 2, "--header-timeout", 5)

    def statuses(self, data):
        return [
            int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", self.server.raw(data))
        ]

    def test_http_1_0_has_no_chunks(self):
        chunks = b"11\r\n" + BODY + b"\r\n0\r\n\r\n"
        self.assertEqual(
            self.statuses(
                post("Transfer-Encoding: chunked", "Connection: keep-alive", version=0, body=chunks)
                + NEXT
            ),
            [400],
        )

    def test_http_1_0_does_not_expect(self):
        self.assertEqual(
            self.statuses(post("Expect: 100-continue", "Content-Length: 17", version=0)), [200]
        )

    def test_lengths(self):
        for headers in (
            ("Content-Length:", " 17"),
            ("X: a", "\tb", "Content-Length: 17"),
            ("Content-Length: 17", "Content-Length: 17"),
            ("Content-Length: 17, 17",),
            ("Content-Length: +17",),
            ("Content-Length: 17", "Transfer-Encoding: chunked"),
        ):
            self.assertEqual(self.statuses(post(*headers) + NEXT), [400], headers)

    def test_hosts(self):
        self.assertEqual(self.statuses(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"), [400])
        self.assertEqual(self.statuses(b"GET /health HTTP/1.0\r\n\r\n"), [200])
        for host in (b"a b", b"me@test", b"test/x", b"a,b"):
            self.assertEqual(
                self.statuses(b"GET /health HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"), [400], host
            )

    def test_empty_lines_before_a_request(self):
        self.assertEqual(
            self.statuses(b"\r\n" + post("Content-Length: 17") + b"\r\n\r\n" + NEXT), [200, 200]
        )
        with self.server.socket() as connection:
            for part in (b"\r", b"\n\r", b"\n", NEXT):
                connection.sendall(part)
                time.sleep(0.05)
            self.assertIn(b" 200 OK", read_all(connection))

    def test_a_header_that_comes_line_by_line(self):
        with self.server.socket() as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(b"GET /health HTTP/1.1\r\n")
            try:
                for _ in range(1000):
                    connection.sendall(b"X: " + b"y" * 200 + b"\r\n")
                    time.sleep(0.001)  # each a piece of its own
            except OSError:
                pass  # the server has heard enough
            self.assertIn(b"HTTP/1.1 431 ", read_all(connection))

    def test_dates(self):
        for reply in (self.server.ask("/health"), self.server.ask("/nowhere")):
            date = email.utils.parsedate_to_datetime(reply.headers["Date"])
            self.assertLess(abs(date.timestamp() - time.time()), 60)
            self.assertEqual(email.utils.format_datetime(date, usegmt=True), reply.headers["Date"])


class HalfClosed(Case):
    def test_a_client_that_shuts_down_its_side(self):
        server = self.start(*SLOWER)
        body = json.dumps(LONGER).encode()
        for version in (0, 1):
            with server.socket() as connection:
                connection.sendall(post(f"Content-Length: {len(body)}", version=version, body=body))
                connection.shutdown(socket.SHUT_WR)
                head, _, answer = read_all(connection).partition(b"\r\n\r\n")
            self.assertRegex(head, rb"^HTTP/1\.%d 200 OK\r\n" % version)
            self.assertEqual(len(json.loads(answer)["data"]), len(LONGER["input"]))
        self.assertEqual(server.metric("contrastive_abandoned_total"), 0)


class Encodings(Case):
    arguments = ("--max-body-bytes", 100000)

    def ask(self, body, *encodings):
        headers = "".join(f"Content-Encoding: {encoding}\r\n" for encoding in encodings)
        head = (
            f"POST /v1/embeddings HTTP/1.1\r\nHost: test\r\n"
            f"Connection: close\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
        )
        return self.server.raw(head.encode() + body)

    def test_bodies_that_are_packed(self):
        for encoding in ("gzip", "GZIP", "x-gzip"):
            self.assertIn(b" 200 OK", self.ask(gzip.compress(BODY), encoding))
        self.assertIn(
            b" 200 OK", self.ask(gzip.compress(BODY[:5]) + gzip.compress(BODY[5:]), "gzip")
        )
        self.assertIn(b" 200 OK", self.ask(BODY, "identity"))

    def test_encodings_that_are_not_read(self):
        for encodings in (("br",), ("deflate",), ("gzip, gzip",), ("gzip", "gzip")):
            answer = self.ask(gzip.compress(BODY), *encodings)
            self.assertIn(b"HTTP/1.1 415 ", answer, encodings)
            self.assertIn(b"\r\nAccept-Encoding: gzip\r\n", answer)
        self.assertIn(
            b" 200 OK",
            self.server.raw(
                b"GET /health HTTP/1.1\r\nHost: test\r\n"
                b"Connection: close\r\nContent-Encoding: br\r\n\r\n"
            ),
        )

    def test_a_body_that_unpacks_to_too_much(self):
        self.assertIn(b"HTTP/1.1 413 ", self.ask(gzip.compress(b" " * 50000000), "gzip"))

    def test_what_is_not_gzip(self):
        packed = gzip.compress(BODY)
        for body in (BODY, packed[:-1], packed[:20] + b"xx" + packed[22:], packed + b"xx"):
            answer = self.ask(body, "gzip")
            self.assertIn(b"HTTP/1.1 400 ", answer)
            self.assertIn(b"invalid_encoding", answer)
