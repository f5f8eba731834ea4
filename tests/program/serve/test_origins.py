"""Pages of other origins that --allow-origin names: what a browser asks before it sends their
request, and what it needs to hand them the answer."""

import socket

from server import Case, read_all, run

PAGE = "https://a.example"
PLAN = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type",
}


class Origins(Case):
    arguments = ("--allow-origin", f"{PAGE},https://b.example:8443", "--max-body-bytes", 4096)

    def readable(self, reply, origin=PAGE):
        """By a page of that origin alone, in a browser and behind a cache."""
        self.assertEqual(
            (reply.headers["Access-Control-Allow-Origin"], reply.headers["Vary"]),
            (origin, "Origin"),
        )
        self.assertIsNone(reply.headers["Access-Control-Allow-Credentials"])

    def unreadable(self, reply):
        self.assertEqual(
            [name for name in reply.headers if name.lower().startswith("access-control-")], []
        )

    def preflight(self, path, server=None, **headers):
        return (server or self.server).ask(
            path, method="OPTIONS", headers={"Origin": PAGE, **PLAN, **headers}
        )

    def test_preflights(self):
        for path in (
            "/v1/embeddings",
            "/search",
            "/health",
            "/nowhere",
        ):  # of /nowhere the page may read the 404
            reply = self.preflight(path)
            self.assertEqual((reply.status, reply.body), (204, b""))
            self.readable(reply)
            self.assertEqual(reply.headers["Access-Control-Allow-Methods"], "GET, HEAD, POST")
            self.assertEqual(
                reply.headers["Access-Control-Allow-Headers"], "authorization,content-type"
            )
            self.assertIsNone(
                reply.headers["Content-Length"]
            )  # RFC 9110, section 8.6: not with 204
        self.readable(
            self.preflight("/search", Origin="https://b.example:8443"), "https://b.example:8443"
        )
        reply = self.server.ask(
            "/search",
            method="OPTIONS",
            headers={"Origin": PAGE, "Access-Control-Request-Method": "POST"},
        )
        self.assertEqual(
            reply.headers["Access-Control-Allow-Headers"], "Authorization, Content-Type"
        )

    def test_a_preflight_and_its_request_in_one_connection(self):
        connection = self.server.connect()
        for _ in range(3):
            self.assertEqual(
                self.server.ask(
                    "/v1/embeddings",
                    method="OPTIONS",
                    headers={"Origin": PAGE, **PLAN},
                    connection=connection,
                ).status,
                204,
            )
            reply = self.server.ask(
                "/v1/embeddings",
                {"input": "a"},
                headers={"Origin": PAGE, "Content-Type": "application/json"},
                connection=connection,
            )
            self.assertEqual(reply.status, 200)
            self.readable(reply)
        connection.close()

    def test_preflights_of_others(self):
        for origin in (
            "https://evil.example",
            "http://a.example",
            "https://a.example:444",
            "https://sub.a.example",
            "null",
            "",
        ):
            reply = self.preflight("/v1/embeddings", Origin=origin)
            self.refused(reply, 405, "unknown_method")
            self.unreadable(reply)
        reply = self.server.ask(
            "/v1/embeddings", method="OPTIONS", headers={"Origin": PAGE}
        )  # plans nothing: no preflight
        self.refused(reply, 405, "unknown_method")
        self.refused(
            self.preflight("/v1/embeddings", Host="evil.example"), 403, "foreign_host"
        )  # a name that was led here
        server = self.start()
        self.refused(self.preflight("/v1/embeddings", server), 405, "unknown_method")
        self.assertIsNone(self.preflight("/v1/embeddings", server).headers["Vary"])

    def test_answers_and_errors(self):
        ask = lambda *arguments, **headers: self.server.ask(
            *arguments, headers={"Origin": PAGE, **headers}
        )
        for reply, status in (
            (ask("/v1/embeddings", {"input": ["a", "b"]}), 200),
            (ask("/health"), 200),
            (ask("/"), 200),
            (ask("/nowhere"), 404),
            (ask("/health", {}), 405),
            (ask("/v1/embeddings", b"{"), 400),
            (ask("/v1/embeddings", b" " * 5000), 413),
            (ask("/v1/embeddings", {"input": []}), 400),
            (ask("/similarity", {"a": ["x"] * 2000, "b": "y"}), 413),
        ):
            self.assertEqual(reply.status, status)
            self.readable(reply)
        self.assertIn(
            "Contrastive-Cut-Texts",
            ask("/v1/embeddings", {"input": "a " * 2000}).headers["Access-Control-Expose-Headers"],
        )

    def test_answers_for_others(self):
        reply = self.server.ask("/health", headers={"Origin": "https://evil.example"})
        self.refused(reply, 403, "foreign_origin")
        self.unreadable(reply)
        reply = self.server.ask(
            "/health"
        )  # no page asks; a cache must know that the answer differs for one
        self.unreadable(reply)
        self.assertEqual(reply.headers["Vary"], "Origin")

    def test_with_keys(self):
        server = self.start("--allow-origin", PAGE, environment={"CONTRASTIVE_API_KEY": "key"})
        self.readable(self.preflight("/v1/embeddings", server))  # a preflight carries no key
        reply = server.ask("/v1/embeddings", {"input": "a"}, headers={"Origin": PAGE})
        self.refused(reply, 401, "invalid_api_key")
        self.readable(reply)
        self.readable(
            server.ask(
                "/v1/embeddings",
                {"input": "a"},
                headers={"Origin": PAGE, "Authorization": "Bearer key"},
            )
        )
        reply = server.ask(
            "/v1/embeddings",
            {"input": "a"},
            headers={"Origin": "https://other.example", "Authorization": "Bearer key"},
        )
        self.assertEqual(
            reply.status, 200
        )  # the key decides who is answered, --allow-origin whose pages may read it
        self.unreadable(reply)

    def test_loopback_by_other_names(self):
        for host, reached in (
            ("::1", "::1"),
            ("::ffff:127.0.0.1", "127.0.0.1"),
            ("::1%lo", "::1"),
            ("127.0.0.2", "127.0.0.2"),
        ):
            try:
                server = self.start("--host", host)
            except AssertionError as problem:  # this machine has no such address
                self.assertIn("cannot", str(problem))
                continue
            with socket.create_connection((reached, server.port), timeout=60) as connection:
                connection.sendall(
                    b"GET /info HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                )
                self.assertIn(b"HTTP/1.1 403 ", read_all(connection), host)
            self.assertNotIn("everybody who reaches", server.stderr())

    def test_what_is_no_origin(self):
        for wrong in (
            "a.example",
            "https://a.example/",
            "https://a.example/page",
            "https://A.example",
            "*",
            "null",
            "https://",
            "https://*.example",
            "https://me@a.example",
        ):
            code, told = run("--model", "nowhere", "--allow-origin", wrong)
            self.assertEqual(code, 2, wrong)
            self.assertIn(f"--allow-origin '{wrong}' is no origin", told)
