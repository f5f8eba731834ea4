#!/usr/bin/env python3
"""check_page.py FILE: is this report well-formed and complete in itself?

Parses the HTML (every element is closed, in order), every inline SVG as XML (with numbers that are numbers, inside its view box), and looks for anything
that a browser would load from elsewhere or run. Prints what it found as JSON, or says what is wrong and exits with 1.
"""

import json
import math
import re
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link"}
LOADING = {
    "script",
    "link",
    "iframe",
    "object",
    "embed",
    "img",
    "image",
    "audio",
    "video",
    "source",
    "base",
    "form",
    "use",
    "foreignobject",
}


def fail(message):
    print(f"{sys.argv[1]}: {message}", file=sys.stderr)
    sys.exit(1)


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.titles, self.notes, self.cells, self.text = [], [], [], [], []
        self.figures = self.captions = 0

    def handle_starttag(self, tag, attributes):
        if tag in LOADING:
            fail(f"line {self.getpos()[0]}: <{tag}> loads or runs something")
        for name, value in attributes:
            if name in ("src", "href", "xlink:href", "action", "srcset") or name.startswith("on"):
                fail(f"line {self.getpos()[0]}: attribute {name}={value!r}")
        self.figures += tag == "figure"
        self.captions += tag == "figcaption"
        if tag not in VOID:
            self.open.append((tag, dict(attributes)))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            fail(f"line {self.getpos()[0]}: </{tag}> closes {self.open[-1:] or 'nothing'}")
        self.open.pop()

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if "style" in tags:
            return
        self.text.append(data)
        if "h3" in tags:
            self.titles.append(data.strip())
        if any(tag == "p" and attributes.get("class") == "note" for tag, attributes in self.open):
            self.notes.append(data.strip())


def check_picture(source):
    root = ElementTree.fromstring(source)
    width, height = (float(number) for number in root.get("viewBox").split()[2:])
    if root.get("role") != "img" or not root.get("aria-label"):
        fail("a picture without a description")
    for element in root.iter():
        for name, value in element.attrib.items():
            if name in (
                "x",
                "y",
                "x1",
                "x2",
                "y1",
                "y2",
                "cx",
                "cy",
                "width",
                "height",
                "r",
                "fill-opacity",
            ):
                number = float(value)
                if not math.isfinite(number) or not -1 <= number <= max(width, height) + 1:
                    fail(
                        f"<{element.tag} {name}={value!r}> outside of {width} x {height}: {root.get('aria-label')}"
                    )
            if name == "d":
                numbers = [float(number) for number in re.findall(r"-?[0-9.]+", value)]
                if re.search(r"[^MLZh0-9. -]", value) or not all(
                    -1 <= number <= max(width, height) + 1 for number in numbers
                ):
                    fail(
                        f"path {value[:80]!r} outside of {width} x {height}: {root.get('aria-label')}"
                    )
    return root.get("aria-label")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        source = file.read()
    page = Page()
    page.feed(source)
    page.close()
    if page.open:
        fail(f"<{page.open[-1][0]}> is not closed")
    if (
        "content=\"default-src 'none'; style-src 'unsafe-inline'\""
        not in source[: source.index("<title>")]
    ):
        fail("no policy that keeps a browser from loading anything")
    style = source[source.index("<style>") : source.index("</style>")]
    for reference in re.findall(r"@import[^;]*|url\([^)]*\)", style):
        if not reference.startswith("url(data:"):
            fail(f"the style sheet loads {reference}")
    # An outer picture may hold inner ones, which clip labels.
    pictures = re.findall(r'<div class="picture[^"]*">(<svg .*?</svg>)</div>', source, re.DOTALL)
    descriptions = [check_picture(picture) for picture in pictures]
    if page.figures != page.captions:
        fail(f"{page.figures} figures, {page.captions} captions")
    if not re.search(r"prefers-color-scheme: dark", style) or "@media print" not in style:
        fail("no dark mode, or no print style")
    print(
        json.dumps(
            {
                "bytes": len(source.encode()),
                "figures": page.figures,
                "pictures": len(pictures),
                "titles": page.titles,
                "notes": page.notes,
                "descriptions": descriptions,
            },
            ensure_ascii=False,
        )
    )


main()
