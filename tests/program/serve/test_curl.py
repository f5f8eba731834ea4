"""curl against `contrastive serve`, with the options that people give it."""

import base64
import json
import shutil
import struct
import subprocess
import tempfile
import unittest

from server import TEXTS, Case, encode


@unittest.skipIf(shutil.which("curl") is None, "curl is not installed")
class Curl(Case):
    arguments = ()

    def curl(self, path, *arguments, server=None):
        """(status, body) of one request."""
        done = subprocess.run(
            [
                "curl",
                "-sS",
                "-w",
                "\n%{http_code}",
                f"{(server or self.server).url}{path}",
                *arguments,
            ],
            capture_output=True,
            check=True,
            timeout=60,
        )
        body, _, status = done.stdout.decode().rpartition("\n")
        return int(status), body

    def test_one_command(self):
        status, body = self.curl(
            "/v1/embeddings", "-d", '{"input": "A dog"}'
        )  # which calls the body a form
        self.assertEqual(status, 200, body)
        self.near([json.loads(body)["data"][0]["embedding"]], encode(["A dog"]))

    def test_options(self):
        ask = json.dumps({"input": TEXTS, "encoding_format": "base64"})
        for options in (
            ("--http1.0",),
            ("--http1.1",),
            ("--compressed",),
            ("-H", "Content-Type: application/json"),
            ("-H", "Transfer-Encoding: chunked"),
            ("-H", "Expect: 100-continue"),
            ("--http2",),
        ):  # the last asks for an upgrade, and goes on without
            status, body = self.curl("/v1/embeddings", "-d", ask, *options)
            self.assertEqual(status, 200, (options, body))
            rows = [base64.b64decode(row["embedding"]) for row in json.loads(body)["data"]]
            self.near(
                [[value for (value,) in struct.iter_unpack("<f", row)] for row in rows],
                encode(TEXTS),
            )

    def test_a_long_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(
                json.dumps({"input": ["the cat sat on the mat " * 1000] * 100})
            )  # 2.3 MB: curl asks for 100-continue itself
            file.flush()
            self.assertEqual(self.curl("/v1/embeddings", "--data-binary", f"@{file.name}")[0], 200)
            server = self.start("--max-body-bytes", 1000000)
            status, body = self.curl(
                "/v1/embeddings", "--data-binary", f"@{file.name}", server=server
            )
            self.assertEqual((status, json.loads(body)["error"]["code"]), (413, "body_too_large"))

    def test_keys_and_other_routes(self):
        server = self.start(environment={"CONTRASTIVE_API_KEY": "right"})
        self.assertEqual(self.curl("/v1/models", server=server)[0], 401)
        self.assertEqual(
            self.curl("/v1/models", "-H", "Authorization: Bearer right", server=server)[0], 200
        )
        self.assertEqual(self.curl("/v1/models", "--oauth2-bearer", "right", server=server)[0], 200)
        self.assertEqual(self.curl("/health", "-I", server=server)[0], 200)
        self.assertEqual(
            [
                self.curl(path)[0]
                for path in ("/ready", "/info", "/metrics", "/openapi.json", "/", "/nowhere")
            ],
            [200, 200, 200, 200, 200, 404],
        )
        subprocess.run(
            [
                "curl",
                "-sSf",
                "-o",
                "/dev/null",
                f"{self.server.url}/health",
                f"{self.server.url}/ready",
            ],
            check=True,
            timeout=60,
        )
