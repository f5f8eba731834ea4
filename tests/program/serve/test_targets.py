"""Requests that name a whole address, as a proxy gets them (RFC 9112, section 3.2.2)."""

import http.client

from server import Case


class Targets(Case):
    arguments = ()

    def raw(self, target, *headers):
        with self.server.socket() as connection:
            connection.sendall(
                "\r\n".join(
                    (f"GET {target} HTTP/1.1", *headers, "Connection: close", "", "")
                ).encode()
            )
            response = http.client.HTTPResponse(connection)
            response.begin()
            return response.status, response.read()

    def test_whole_addresses(self):
        place = f"127.0.0.1:{self.server.port}"
        for target in (
            f"http://{place}/health",
            f"HTTP://{place}/health",
            "https://localhost/health?x=1",
            "http://[::1]:80/health",
        ):
            self.assertEqual(self.raw(target, "Host: test"), (200, b'{"status":"ok"}\n'), target)
        for target in (f"http://{place}", f"http://{place}/", f"http://{place}?x=1"):
            status, body = self.raw(target, "Host: test")
            self.assertEqual(status, 200)
            self.assertIn(b"<html", body)
        self.assertEqual(self.raw(f"http://{place}/nowhere", "Host: test")[0], 404)
        self.assertEqual(self.raw("/health?to=http://127.0.0.1/x", "Host: test")[0], 200)

    def test_its_host_counts(self):
        for headers in (("Host: localhost",), ("Host: evil.example",)):
            self.assertEqual(self.raw("http://evil.example/info", *headers)[0], 403)
            self.assertEqual(self.raw("http://localhost/info", *headers)[0], 200)

    def test_what_is_no_address(self):
        for target in ("http:///health", "http://me@localhost/health", "http://:80/health"):
            status, body = self.raw(target, "Host: test")
            self.assertEqual(status, 400)
            self.assertIn(b"invalid_http", body)
        self.assertEqual(self.raw("ftp://localhost/health", "Host: test")[0], 404)

    def test_two_hosts(self):
        self.assertEqual(self.raw("/health", "Host: localhost", "Host: evil.example")[0], 400)
