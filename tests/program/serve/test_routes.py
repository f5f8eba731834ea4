"""Every route of `contrastive serve`, and every request that it refuses."""

import base64
import json
import math
import pathlib
import struct
import subprocess
import tempfile

from server import ENVIRONMENT, MODEL, PROGRAM, TEXTS, Case, encode, run

FOLDER = tempfile.TemporaryDirectory()
CORPUS = pathlib.Path(FOLDER.name, "corpus.txt")
CORPUS.write_text("the cat sat\na dog\ntwo birds fly\nred\nthe old house is closed\n")


class Routes(Case):
    arguments = ("--corpus", CORPUS, "--model-name", "tiny")

    def test_embeddings(self):
        expected = encode(TEXTS)
        reply = self.server.ask(
            "/v1/embeddings", {"input": TEXTS, "model": "any-name", "user": "somebody"}
        )
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(reply.headers["Content-Type"], "application/json")
        document = reply.json
        self.assertEqual((document["object"], document["model"]), ("list", "any-name"))
        self.assertEqual([row["index"] for row in document["data"]], list(range(len(TEXTS))))
        self.assertEqual({row["object"] for row in document["data"]}, {"embedding"})
        self.near([row["embedding"] for row in document["data"]], expected)
        tokens = sum(
            row["kept"] for row in self.server.ask("/tokenize", {"input": TEXTS}).json["results"]
        )
        self.assertEqual(document["usage"], {"prompt_tokens": tokens, "total_tokens": tokens})

    def test_one_text(self):
        document = self.server.ask("/v1/embeddings", {"input": "A dog"}).json
        self.near([document["data"][0]["embedding"]], encode(["A dog"]))
        self.assertEqual(document["model"], "tiny")

    def test_base64(self):
        floats = self.server.ask("/v1/embeddings", {"input": TEXTS}).json
        packed = self.server.ask(
            "/v1/embeddings", {"input": TEXTS, "encoding_format": "base64"}
        ).json
        for row, other in zip(packed["data"], floats["data"]):
            self.assertEqual(
                [
                    value
                    for (value,) in struct.iter_unpack(
                        "<f", base64.b64decode(row["embedding"], validate=True)
                    )
                ],
                [struct.unpack("<f", struct.pack("<f", value))[0] for value in other["embedding"]],
            )

    def test_base64_of_every_length(self):
        for dimensions in range(1, 7):  # 4 to 24 bytes: with two, one and no = at the end
            document = self.server.ask(
                "/v1/embeddings",
                {"input": "A dog", "dimensions": dimensions, "encoding_format": "base64"},
            ).json
            self.assertEqual(
                len(base64.b64decode(document["data"][0]["embedding"], validate=True)),
                4 * dimensions,
            )

    def test_dimensions(self):
        document = self.server.ask("/v1/embeddings", {"input": TEXTS, "dimensions": 8}).json
        self.near(
            [row["embedding"] for row in document["data"]], encode(TEXTS, "--truncate-dim", "8")
        )
        self.assertAlmostEqual(math.hypot(*document["data"][0]["embedding"]), 1, places=5)
        self.assertEqual(
            self.server.ask("/v1/embeddings", {"input": TEXTS, "dimensions": 8.0}).json, document
        )
        for wrong in (0, 33, -1, 10**30, 1e30, -0.5, 1.5, "8", True, [8]):
            error = self.refused(
                self.server.ask("/v1/embeddings", {"input": "a", "dimensions": wrong}),
                400,
                "invalid_value",
                "from 1 to 32",
            )
            self.assertEqual(
                (error["param"], error["type"]), ("dimensions", "invalid_request_error")
            )

    def test_models(self):
        self.assertEqual(self.server.ask("/v1/models").json["data"][0]["id"], "tiny")
        self.assertEqual(
            self.server.ask("/v1/models/tiny").json, self.server.ask("/v1/models").json["data"][0]
        )
        self.assertEqual(self.server.ask("/v1/models/t%69ny/").status, 200)
        error = self.refused(self.server.ask("/v1/models/other"), 404, "model_not_found", "'other'")
        self.assertEqual(error["param"], "model")
        self.assertEqual(
            self.server.metric('contrastive_requests_total{route="/v1/models/{id}",code="404"}'), 1
        )

    def test_a_slash_behind_a_path(self):
        self.assertEqual(self.server.ask("/v1/models/").json["object"], "list")
        self.assertEqual(self.server.ask("/v1/embeddings/", {"input": "a"}).status, 200)
        self.assertEqual(self.server.ask("/health//").status, 404)

    def test_similarity(self):
        document = self.server.ask(
            "/similarity", {"a": ["the cat sat", "a dog"], "b": ["a dog", "red", "the cat sat"]}
        ).json
        self.assertEqual([len(row) for row in document["scores"]], [3, 3])
        self.assertAlmostEqual(document["scores"][0][2], 1, places=5)
        self.assertAlmostEqual(document["scores"][1][0], 1, places=5)
        told = subprocess.run(
            [PROGRAM, "similarity", "--model", MODEL, "a dog", "red"],
            capture_output=True,
            check=True,
            env=ENVIRONMENT,
        )
        self.assertAlmostEqual(document["scores"][1][1], float(told.stdout), places=5)
        far = self.server.ask(
            "/similarity", {"a": "a dog", "b": "a dog", "metric": "euclidean"}
        ).json["scores"][0][0]
        self.assertAlmostEqual(far, 0, places=3)
        self.refused(
            self.server.ask("/similarity", {"a": "x", "b": "y", "metric": "cosin"}),
            400,
            "invalid_value",
            "'metric'",
        )
        self.refused(
            self.server.ask("/similarity", {"a": "x"}), 400, "invalid_value", "'b' is missing"
        )
        self.refused(
            self.server.ask("/similarity", {"a": ["x"] * 1025, "b": ["y"] * 1025}),
            422,
            "too_many_texts",
            "pairs",
        )

    def test_search(self):
        document = self.server.ask("/search", {"query": "the cat sat", "top_k": 2}).json
        told = subprocess.run(
            [
                PROGRAM,
                "search",
                "--model",
                MODEL,
                "--corpus",
                CORPUS,
                "--top-k",
                "2",
                "--json",
                "--quiet",
                "the cat sat",
            ],
            capture_output=True,
            check=True,
            env=ENVIRONMENT,
        )
        expected = json.loads(told.stdout)["hits"]
        hits = document["results"][0]["hits"]
        self.assertEqual(
            [(hit["rank"], hit["id"], hit["text"]) for hit in hits],
            [(hit["rank"], hit["id"], hit["text"]) for hit in expected],
        )
        for hit, other in zip(hits, expected):
            self.assertAlmostEqual(hit["score"], other["score"], places=5)
        both = self.server.ask("/search", {"query": ["red", "a dog"], "top_k": 100}).json["results"]
        self.assertEqual(
            [(row["query"], row["hits"][0]["text"], len(row["hits"])) for row in both],
            [("red", "red", 5), ("a dog", "a dog", 5)],
        )
        self.refused(
            self.server.ask("/search", {"query": "x", "top_k": 0}), 400, "invalid_value", "'top_k'"
        )
        self.refused(
            self.server.ask("/search", {"query": ["x"] * 2000, "top_k": 1000}), 422, "too_many_hits"
        )

    def test_search_without_corpus(self):
        server = self.start()
        self.refused(server.ask("/search", {"query": "x"}), 404, "no_corpus", "--corpus")
        self.assertIsNone(server.ask("/info").json["corpus"])

    def test_tokenize(self):
        row = self.server.ask("/tokenize", {"input": "A dog"}).json["results"][0]
        self.assertEqual(
            row,
            {
                "ids": [2, 21, 85, 3],
                "tokens": ["[CLS]", "a", "dog", "[SEP]"],
                "offsets": [[-1, -1], [0, 1], [2, 5], [-1, -1]],
                "count": 4,
                "kept": 4,
            },
        )

    def test_cut_texts(self):
        server = self.start("--max-length", 5, "--max-listed-tokens", 20)
        reply = server.ask("/v1/embeddings", {"input": [TEXTS[0], "A dog"]})
        self.assertEqual(reply.headers["Contrastive-Cut-Texts"], "1")
        self.assertEqual(reply.json["usage"]["total_tokens"], 5 + 4)
        row = server.ask("/tokenize", {"input": TEXTS[0]}).json["results"][0]
        self.assertEqual((row["count"], row["kept"], len(row["ids"])), (9, 5, 9))
        self.assertEqual(server.metric("contrastive_cut_texts_total"), 1)
        self.refused(
            server.ask("/tokenize", {"input": TEXTS[0] * 10}), 422, "too_many_tokens", "20"
        )

    def test_about(self):
        self.assertEqual(self.server.ask("/health").json, {"status": "ok"})
        self.assertEqual(self.server.ask("/ready").json, {"status": "ready"})
        info = self.server.ask("/info").json
        self.assertEqual(
            (info["model"], info["dimension"], info["corpus"]),
            ("tiny", 32, {"texts": 5, "metric": "cosine"}),
        )
        page = self.server.ask("/")
        self.assertIn("text/html", page.headers["Content-Type"])
        self.assertIn("default-src 'none'", page.headers["Content-Security-Policy"])
        self.assertIn(b"</html>", page.body)
        self.assertNotRegex(page.body.decode(), "https?://")
        self.assertEqual(self.server.ask("/health?verbose=1").status, 200)

    def test_openapi_lists_what_there_is(self):
        paths = self.server.ask("/openapi.json").json["paths"]
        for path, methods in paths.items():
            for method in ("get", "post"):
                status = self.server.ask(
                    path, "{}" if method == "post" else None, method.upper()
                ).status
                self.assertEqual(
                    status == 405, method not in methods, f"{method} {path} is {status}"
                )
        self.assertEqual(len(paths), 12)

    def test_openapi_is_written_once(self):
        # Everybody may ask for it, without a key: it costs the server about what /health costs, and
        # not the time to read and write its JSON.
        def seconds(path):
            begin, connection = self.server.processor_seconds(), self.server.connect()
            for _ in range(1500):
                self.assertEqual(self.server.ask(path, connection=connection).status, 200)
            connection.close()
            return self.server.processor_seconds() - begin

        health, openapi = seconds("/health"), seconds("/openapi.json")
        print(
            f"1,500 requests: {health:.2f} s of processor for /health, {openapi:.2f} s for "
            f"/openapi.json"
        )
        self.assertLess(openapi, 3 * health + 0.1)

    def test_metrics(self):
        before = self.server.metric('contrastive_requests_total{route="/health",code="200"}') or 0
        texts = self.server.metric("contrastive_texts_total")
        self.server.ask("/health")
        self.server.ask("/v1/embeddings", {"input": ["a", "b"]})
        self.assertEqual(
            self.server.metric('contrastive_requests_total{route="/health",code="200"}'), before + 1
        )
        self.assertEqual(self.server.metric("contrastive_texts_total"), texts + 2)
        reply = self.server.ask("/metrics")
        self.assertEqual(reply.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        lines, kinds = reply.body.decode().splitlines(), {}
        for line in lines:
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                self.assertNotIn(name, kinds)
                kinds[name] = kind
            elif not line.startswith("#"):
                name, value = line.partition("{")[0].split(" ")[0], line.rpartition(" ")[2]
                float(value)
                base = name
                for ending in ("_bucket", "_sum", "_count"):
                    base = (
                        name[: -len(ending)]
                        if name.endswith(ending) and kinds.get(name[: -len(ending)]) == "histogram"
                        else base
                    )
                self.assertIn(base, kinds, line)
                self.assertTrue(kinds[base] != "counter" or name.endswith("_total"), line)

    def test_wrong_paths_and_methods(self):
        self.refused(
            self.server.ask("/v2/embeddings", {"input": "a"}), 404, "unknown_path", "/openapi.json"
        )
        reply = self.server.ask("/v1/embeddings")
        self.refused(reply, 405, "unknown_method", "POST")
        self.assertEqual(reply.headers["Allow"], "POST")
        self.assertEqual(self.server.ask("/health", method="DELETE").headers["Allow"], "GET, HEAD")
        head = self.server.ask("/health", method="HEAD")
        self.assertEqual((head.status, head.body), (200, b""))

    def test_inputs_that_are_none(self):
        ask = lambda body: self.server.ask("/v1/embeddings", body)
        self.refused(ask({}), 400, "invalid_value", "'input' is missing")
        self.refused(ask({"input": None}), 400, "invalid_value", "'input' is missing")
        self.refused(ask({"input": []}), 400, "invalid_value", "empty list")
        self.refused(ask({"input": 5}), 400, "invalid_value", "string or a list")
        self.refused(ask({"input": ["a", None]}), 400, "invalid_value", "place 1")
        self.refused(ask({"input": "a", "encoding_format": "hex"}), 400, "invalid_value", "base64")
        self.refused(ask({"input": "a", "model": 7}), 400, "invalid_value", "'model'")
        self.refused(ask({"input": ["a"] * 2049}), 422, "too_many_texts", "2049", "2048")
        self.refused(ask({"input": "a", "prompt_name": "nobody"}), 422, "ARGUMENT", "nobody")

    def test_token_arrays_name_the_client_setting(self):
        for tokens in ([1, 2, 3], [[1, 2], [3]], [[]], ["a", 5], list(range(100000))):
            self.refused(
                self.server.ask("/v1/embeddings", {"input": tokens}),
                400,
                "invalid_value",
                "check_embedding_ctx_length=False",
            )

    def test_bodies_that_are_not_json(self):
        for body in (
            "",
            "{",
            "no",
            "[]",
            '"text"',
            "null",
            '{"input": "a"} x',
            "{'input': 'a'}",
            "\0",
            "\ufeff",
            "{" * 10,
        ):
            self.refused(
                self.server.ask("/v1/embeddings", body.encode(), "POST"), 400, "invalid_json"
            )

    def test_malformed_utf8_is_refused(self):
        for bad in (
            b"\xff",
            b"\xc0\xaf",
            b"\xed\xa0\x80",
            b"\xf4\x90\x80\x80",
            b"caf\xc3",
            b"\\ud800",
            b"\\udc00\\ud800",
        ):
            self.refused(
                self.server.ask("/v1/embeddings", b'{"input": "' + bad + b'"}'),
                400,
                "invalid_json",
                "UTF-8",
            )
        self.assertEqual(
            self.server.ask(
                "/v1/embeddings", '{"input": "\\ud83d\\ude00 \\u0000 \u00e9"}'.encode()
            ).status,
            200,
        )

    def test_deep_json_is_refused(self):
        for bomb in (
            b"[" * 1000000,
            b'{"input":' * 1000000,
            b'{"input": ' + b"[" * 500000 + b"]" * 500000 + b"}",
        ):
            self.refused(
                self.server.ask("/v1/embeddings", bomb), 400, "invalid_json", "deeper than 16"
            )

    def test_a_key_that_stands_twice_is_refused(self):
        for body in (
            '{"input": "a", "input": ["b", "c"]}',
            '{"input": "a", "user": {"x": 1, "x": 1}}',
            '{"input": "a", "inp\\u0075t": "b"}',
        ):
            self.refused(self.server.ask("/v1/embeddings", body), 400, "invalid_json", "twice")
        self.assertEqual(
            self.server.ask(
                "/v1/embeddings", {"input": "a", "user": [{"x": {"x": 1}}, {"x": 1}]}
            ).status,
            200,
        )

    def test_a_nul_ends_no_name(self):
        for path, fields in (
            ("/v1/embeddings", {"input": "a"}),
            ("/similarity", {"a": "a", "b": "b"}),
            ("/search", {"query": "a"}),
        ):
            self.assertEqual(self.server.ask(path, {**fields, "prompt_name": "query"}).status, 200)
            self.refused(
                self.server.ask(path, {**fields, "prompt_name": "query\0x"}),
                400,
                "invalid_value",
                "NUL",
            )
            self.refused(
                self.server.ask(path, {**fields, "prompt_name": "q" * 5000}),
                400,
                "invalid_value",
                "4096",
            )
        self.assertEqual(
            self.server.ask("/search", {"query": "a\0b"}).json["results"][0]["query"], "a\0b"
        )

    def test_wide_json_is_refused(self):
        self.refused(
            self.server.ask("/v1/embeddings", b'{"input": [' + b"{}," * 1000000 + b"{}]}"),
            422,
            "too_many_texts",
        )
        self.refused(
            self.server.ask(
                "/v1/embeddings", b"{" + b",".join(b'"%d":"x"' % i for i in range(500000)) + b"}"
            ),
            422,
            "too_many_texts",
        )

    def test_strict_utf8_of_the_model_blames_the_text(self):
        server = self.start("--set", "invalid_utf8=error")
        self.assertEqual(server.ask("/v1/embeddings", {"input": "caf\u00e9"}).status, 200)


class Starting(Case):
    def test_its_page(self):
        for host, page in (("127.0.0.1", "http://127.0.0.1:"), ("0.0.0.0", "http://127.0.0.1:")):
            command = [PROGRAM, "serve", "--model", str(MODEL), "--host", host, "--port", "0"]
            with subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True
            ) as server:
                line = server.stdout.readline()
                server.terminate()
                said = server.stderr.read()
            self.assertIn(f"on http://{host}:", line)
            self.assertIn(f"page in a browser: {page}{line.rpartition(':')[2].strip()}/\n", said)

    def test_a_port_in_use(self):
        server = self.start()
        code, said = run("--model", MODEL, "--port", server.port)
        self.assertEqual(code, 4)
        self.assertIn("another program listens there", said)
        self.assertEqual(server.ask("/health").status, 200)

    def test_what_cannot_be_served(self):
        for arguments, code, words in (
            (("--model", "nowhere"), 4, "nowhere"),
            (("--model", MODEL, "--host", "example"), 2, "not an address"),
            (("--model", MODEL, "--port", "70000"), 2, "65535"),
            (("--model", MODEL, "--corpus", "nowhere.txt"), 4, "nowhere.txt"),
            (("--model", MODEL, "--corpus", "/dev/null"), 3, "corpus is empty"),
            (("--model", MODEL, "--embeddings", "a.npy"), 2, "--corpus"),
            (("--model", MODEL, "--api-key-file", "nowhere.keys"), 4, "nowhere.keys"),
            (("--model", MODEL, "--max-texts", "0"), 2, "--max-texts"),
        ):
            got, said = (
                run(*arguments, "--port", "0") if "--port" not in arguments else run(*arguments)
            )
            self.assertEqual((got, words in said), (code, True), f"{arguments}: {got} {said}")

    def test_a_corpus_with_its_embeddings(self):
        vectors = pathlib.Path(FOLDER.name, "corpus.npy")
        subprocess.run(
            [
                PROGRAM,
                "encode",
                "--model",
                MODEL,
                "--input",
                CORPUS,
                "--output",
                vectors,
                "--quiet",
            ],
            check=True,
            env=ENVIRONMENT,
        )
        server = self.start("--corpus", CORPUS, "--embeddings", vectors)
        self.assertEqual(
            server.ask("/search", {"query": "red", "top_k": 1}).json["results"][0]["hits"][0][
                "text"
            ],
            "red",
        )
        short = pathlib.Path(FOLDER.name, "short.txt")
        short.write_text("red\n")
        code, said = run("--model", MODEL, "--port", 0, "--corpus", short, "--embeddings", vectors)
        self.assertEqual((code, "the file has 5 vectors" in said), (3, True), said)


class Keys(Case):
    def allowed(self, server, key, path="/info", scheme="Bearer "):
        return server.ask(
            path, headers={"Authorization": scheme + key} if key is not None else {}
        ).status

    def test_keys_of_a_file(self):
        keys = pathlib.Path(FOLDER.name, "keys.txt")
        keys.write_text("# who may ask\nfirst-key\n\n  second-key  \n")
        server = self.start("--api-key-file", keys)
        self.assertEqual(
            [self.allowed(server, key) for key in ("first-key", "second-key")], [200, 200]
        )
        self.assertEqual(self.allowed(server, "first-key", scheme="bearer  "), 200)
        for wrong in (None, "", "first-ke", "first-keyy", "First-key", "# who may ask", "x" * 5000):
            reply = server.ask(
                "/v1/embeddings",
                {"input": "a"},
                headers={} if wrong is None else {"Authorization": f"Bearer {wrong}"},
            )
            error = self.refused(reply, 401, "invalid_api_key", "key")
            self.assertEqual(
                (error["type"], reply.headers["WWW-Authenticate"]),
                ("authentication_error", "Bearer"),
            )
        self.assertEqual(self.allowed(server, "first-key", scheme="Basic "), 401)
        for path, status in (
            ("/health", 200),
            ("/ready", 200),
            ("/", 200),
            ("/openapi.json", 200),
            ("/metrics", 401),
            ("/v1/models", 401),
        ):
            self.assertEqual(self.allowed(server, None, path), status, path)

    def test_a_key_of_the_environment(self):
        server = self.start(environment={"CONTRASTIVE_API_KEY": "from-the-environment"})
        self.assertEqual(
            [
                self.allowed(server, "from-the-environment"),
                self.allowed(server, "other"),
                self.allowed(server, None),
            ],
            [200, 401, 401],
        )
        code, said = run("--model", MODEL, "--port", 0, environment={"CONTRASTIVE_API_KEY": " "})
        self.assertEqual((code, "CONTRASTIVE_API_KEY is empty" in said), (2, True))

    def test_what_restricts_is_not_empty(self):
        for name in (
            "API_KEY_FILE",
            "API_KEY",
            "MAX_CONNECTIONS",
            "MAX_MEMORY_BYTES",
            "BODY_TIMEOUT",
        ):
            code, said = run("--model", MODEL, "--port", 0, environment={f"CONTRASTIVE_{name}": ""})
            self.assertEqual((code, f"CONTRASTIVE_{name} is empty" in said), (2, True), said)
        code, said = run("--model", MODEL, "--port", 0, "--api-key-file", "")
        self.assertEqual((code, "--api-key-file is empty" in said), (2, True), said)

    def test_keys_that_no_header_can_carry(self):
        keys = pathlib.Path(FOLDER.name, "bad-keys.txt")
        for bad in (
            b"\xef\xbb\xbfkey\n",
            "key\n".encode("utf-16"),
            b"first\rsecond",
            b"a\0b\n",
            b"a\x01b\n",
            "k\u00e9y\n".encode(),
            b"a\tb\n",
            b"x" * 9000,
        ):
            keys.write_bytes(b"good\n" + bad)
            code, said = run("--model", MODEL, "--port", 0, "--api-key-file", keys)
            self.assertEqual((code, "bad-keys.txt:2: a key " in said), (3, True), said)
        code, said = run("--model", MODEL, "--port", 0, environment={"CONTRASTIVE_API_KEY": "a\tb"})
        self.assertEqual((code, "CONTRASTIVE_API_KEY: a key " in said), (2, True), said)
        keys.write_bytes(b"crlf key\r\n")
        self.assertEqual(self.allowed(self.start("--api-key-file", keys), "crlf key"), 200)

    def test_no_key_is_an_argument(self):
        code, said = run("--model", MODEL, "--api-key", "secret")
        self.assertEqual(code, 2, said)
