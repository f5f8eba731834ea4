"""The page of `contrastive serve` in Chromium: a query, the nearest texts, the tokens and what was
cut; and that nothing leaves the server's own address."""

import contextlib
import http.server
import pathlib
import socket
import sys
import tempfile
import threading
import unittest

from browser import ENTER, Browser, missing
from server import Case, wait_for

FOLDER = tempfile.TemporaryDirectory()
CORPUS = pathlib.Path(FOLDER.name, "corpus.txt")
MARKUP = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"
CORPUS.write_text(f"the cat sat\na dog\ntwo birds fly\nred\nthe old house is closed\n{MARKUP}\n")


def accepted(listener):
    """The connections that wait to be accepted."""
    listener.settimeout(0.2)
    while True:
        try:
            yield listener.accept()[0]
        except TimeoutError:
            return


def heard(connection):
    """What came over a connection within a second."""
    with connection:
        connection.settimeout(1)
        try:
            return connection.recv(4096)
        except TimeoutError:
            return b""


@contextlib.contextmanager
def another_site():
    """A page of another origin; its address."""

    class Other(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<p>another site</p>")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{other.server_port}"
        other.shutdown()


class Page(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, server):
        self.browser.entries("browser"), self.browser.requested()
        self.browser.open(f"{server.url}/")
        wait_for(lambda: self.browser.text("#about") != "" or self.browser.text("#trouble") != "")

    def hits(self):
        return self.browser.run(
            "return [...document.querySelectorAll('#hits li')].map(row => "
            "[row.children[1].textContent, parseFloat(row.innerText)])"
        )

    def tokens(self):
        return self.browser.run(
            "return [...document.querySelectorAll('#tokens span')].map(box => [box.textContent, "
            "box.className])"
        )

    def nothing_left(self, server):
        urls = self.browser.requested()
        self.assertGreater(len(urls), 0)
        for url in urls:
            self.assertTrue(url.startswith(f"{server.url}/"), url)

    def test_a_query(self):
        server = self.start("--corpus", CORPUS)
        self.open(server)
        self.assertEqual(self.browser.text("#model"), "bert_st")
        self.assertIn("32 dimensions", self.browser.text("#about"))
        self.assertIn("6 texts to search", self.browser.text("#about"))
        self.assertFalse(self.browser.shown("#others"))
        self.browser.type("#query", "a dog" + ENTER)
        wait_for(lambda: len(self.hits()) == 6)
        expected = server.ask("/search", {"query": "a dog"}).json["results"][0]["hits"]
        self.assertEqual([text for text, _ in self.hits()], [hit["text"] for hit in expected])
        for (_, score), hit in zip(self.hits(), expected):
            self.assertAlmostEqual(score, hit["score"], places=3)
        self.assertEqual(
            self.tokens(), [["[CLS]", "special"], ["a", ""], ["dog", ""], ["[SEP]", "special"]]
        )
        self.assertEqual(
            self.browser.text("#count"), "4 tokens, all of which the model reads (up to 24)"
        )
        self.browser.run("document.getElementById('query').value = 'red'")
        self.browser.click("button")
        wait_for(lambda: self.hits()[0][0] == "red")
        self.assertNotEqual(
            self.browser.run("return document.title"), "broken"
        )  # a text of the corpus is text, whatever stands in it
        self.nothing_left(server)
        self.assertEqual([entry["message"] for entry in self.browser.entries("browser")], [])

    def test_what_was_cut(self):
        server = self.start("--max-length", 5, "--corpus", CORPUS)
        self.open(server)
        self.browser.type("#query", "the cat sat on the mat." + ENTER)
        wait_for(lambda: len(self.tokens()) == 9)
        self.assertEqual(
            self.tokens(),
            [
                ["[CLS]", "special"],
                ["the", ""],
                ["cat", ""],
                ["sat", ""],
                ["on", "cut"],
                ["the", "cut"],
                ["mat", "cut"],
                [".", "cut"],
                ["[SEP]", "special"],
            ],
        )
        self.assertEqual(
            self.browser.text("#count"),
            "9 tokens: the model reads 5 of them, and the last 4 were cut",
        )
        line = self.browser.run(
            "return getComputedStyle(document.querySelector('#tokens .cut')).textDecorationLine"
        )
        self.assertEqual(line, "line-through")

    def test_texts_to_compare_where_there_is_no_corpus(self):
        server = self.start()
        self.open(server)
        self.browser.type("#others", "two birds fly\na dog\nred")
        self.browser.type("#query", "a dog" + ENTER)
        wait_for(lambda: len(self.hits()) == 3)
        self.assertEqual(self.hits()[0], ["a dog", 1])
        self.nothing_left(server)

    def test_a_key_is_asked_for(self):
        server = self.start("--corpus", CORPUS, environment={"CONTRASTIVE_API_KEY": "right"})
        self.open(server)
        wait_for(lambda: self.browser.shown("#key"))
        self.assertIn("a key is needed", self.browser.text("#trouble"))
        self.browser.type("#key", "wrong")
        self.browser.type("#query", "red" + ENTER)
        wait_for(lambda: "not one of the server's" in self.browser.text("#trouble"))
        self.assertEqual(self.hits(), [])
        self.browser.run("document.getElementById('key').value = 'right'")
        self.browser.click("button")
        wait_for(lambda: self.hits() and self.hits()[0][0] == "red")
        self.assertEqual(self.browser.text("#trouble"), "")

    def test_a_script_in_the_page_reaches_nobody_else(self):
        # What could be slipped into the page could not send anything away: the policy stops it, and
        # this port hears nothing.
        server = self.start("--corpus", CORPUS)
        self.open(server)
        with socket.create_server(("127.0.0.1", 0)) as elsewhere:
            stopped = self.browser.run_async(
                """
              const [url, done] = arguments, stopped = [];
              document.addEventListener('securitypolicyviolation',
                event => stopped.push(event.effectiveDirective));
              new Image().src = url + 'image';
              const add = (parent, tag, properties) => {
                const element = Object.assign(document.createElement(tag), properties);
                parent.append(element);
                return element;
              };
              add(document.head, 'script', {src: url + 'script'});
              add(document.head, 'link', {rel: 'stylesheet', href: url + 'style'});
              add(document.body, 'iframe', {src: url + 'frame'});
              add(document.body, 'form', {action: url + 'form'}).submit();
              fetch(url + 'fetch').catch(() => {})
                .then(() => setTimeout(() => done(stopped), 500));""",
                f"http://127.0.0.1:{elsewhere.getsockname()[1]}/",
            )
            for connection in accepted(
                elsewhere
            ):  # Chromium may have opened one before it looked at the policy
                self.assertEqual(heard(connection), b"")
        for directive in (
            "img-src",
            "script-src-elem",
            "style-src-elem",
            "frame-src",
            "form-action",
            "connect-src",
        ):
            self.assertIn(directive, stopped)

    def test_a_page_of_another_site_is_refused(self):
        server = self.start("--corpus", CORPUS)
        with another_site() as site:
            self.browser.open(f"{site}/")
            self.browser.run_async(
                """const [url, done] = arguments;
              fetch(url, {method: 'POST', mode: 'no-cors', body: '{"query": "red"}'})
                .then(() => done(0), () => done(1));""",
                f"{server.url}/search",
            )
        self.assertEqual(server.metric('contrastive_requests_total{route="/search",code="403"}'), 1)
        self.assertEqual(server.metric("contrastive_texts_total"), 0)

    def test_a_page_of_another_site_that_is_allowed(self):
        # A key and JSON make Chromium ask first, by a preflight; and only then, and where the
        # answers say so, does the page see them.
        with another_site() as site, another_site() as third:
            server = self.start(
                "--corpus",
                CORPUS,
                "--allow-origin",
                site,
                environment={"CONTRASTIVE_API_KEY": "key"},
            )

            def ask(page, path, key="key"):
                self.browser.open(f"{page}/")
                return self.browser.run_async(
                    """const [url, key, done] = arguments;
                  const headers = {
                    'Authorization': 'Bearer ' + key, 'Content-Type': 'application/json'};
                  fetch(url, {method: 'POST', headers: headers, body: '{"query": "red"}'})
                    .then(answer => answer.json().then(json => done([answer.status, json])),
                      () => done('nothing'));""",
                    f"{server.url}{path}",
                    key,
                )

            status, found = ask(site, "/search")
            self.assertEqual((status, found["results"][0]["hits"][0]["text"]), (200, "red"))
            self.assertEqual(ask(site, "/search", "wrong")[0], 401)
            self.assertEqual(ask(site, "/nowhere")[0], 404)
            self.assertEqual(ask(third, "/search"), "nothing")


if __name__ == "__main__":
    if missing():
        print(f"skipped: {missing()} is not installed: packaging/bootstrap.sh browser installs it")
        sys.exit(77)
    unittest.main(verbosity=2)
