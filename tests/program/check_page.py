#!/usr/bin/env python3
"""check_page.py FILE: is this report the page template with sound data in it?

Everything but the data must be capi/program/report/page.html with the chart library, byte for byte,
and the content security policy must name just its scripts: then no text of the data can become
markup, load anything or run. The data must be JSON whose figures hold together. Prints what it
found as JSON, or says what is wrong and exits with 1.
"""

import base64
import hashlib
import json
import math
import pathlib
import re
import sys
from html.parser import HTMLParser

REPORT = pathlib.Path(__file__).resolve().parents[2] / "capi/program/report"
LIBRARY = ("chart.umd.min.js", "chartjs-plugin-zoom.min.js")
LOADING = {
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
}


def fail(message):
    print(f"{sys.argv[1]}: {message}", file=sys.stderr)
    sys.exit(1)


class Template(HTMLParser):
    """The template loads nothing."""

    def handle_starttag(self, tag, attributes):
        if tag in LOADING:
            fail(f"<{tag}> loads something")
        for name, value in attributes:
            if name in ("src", "href", "action", "srcset") or name.startswith("on"):
                fail(f"attribute {name}={value!r}")


def template():
    page = (REPORT / "page.html").read_text()
    for name in LIBRARY:
        script = (REPORT / "vendor" / name).read_text()
        page = page.replace(f"${name}$", re.sub(r"//# sourceMappingURL=[^\n]*", "", script))
    parser = Template()
    parser.feed(page)
    parser.close()
    style = page[page.index("<style>") : page.index("</style>")]
    if "url(" in style or "@import" in style:
        fail("the style sheet loads something")
    if "prefers-color-scheme: dark" not in style or "@media print" not in style:
        fail("no dark mode, or no print style")
    sources = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for script in re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    ]
    if len(sources) != len(LIBRARY) + 1:
        fail(f"{len(sources)} scripts in the template")
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src"
    policy += "".join(f" 'sha256-{source}'" for source in sources)
    return page.replace("$POLICY$", policy)


def check_numbers(where, *columns, rising=False, gaps=False):
    if len({len(column) for column in columns}) != 1:
        fail(f"{where}: columns of different lengths")
    for number in (number for column in columns for number in column):
        if number is None and gaps:
            continue
        if not isinstance(number, (int, float)) or not math.isfinite(number):
            fail(f"{where}: {number!r} is not a number")
    if rising and list(columns[0]) != sorted(columns[0]):
        fail(f"{where}: the x axis goes back")


def check_lines(where, chart):
    if not chart["curves"]:
        fail(f"{where}: no curve")
    for curve in chart["curves"]:
        check_numbers(where, curve["x"], rising=True)
        check_numbers(where, curve["y"], curve["x"], gaps=True)
        for extra in (curve.get("range"), curve.get("values")):
            if extra:
                check_numbers(where, *extra.values(), rising=True, gaps=True)
        if "best" in curve:
            check_numbers(where, curve["best"])


def check_chart(where, chart):
    if chart["type"] == "lines":
        check_lines(where, chart)
    elif chart["type"] == "plane":
        for path in chart["paths"]:
            check_numbers(where, path["x"], path["y"])
    elif chart["type"] == "scores":
        check_numbers(where, chart["pairs"]["x"], chart["pairs"]["y"])
        check_numbers(where, chart["mean"]["x"], chart["mean"]["y"], rising=True)
    elif chart["type"] == "map":
        for pair in chart["pairs"]:
            check_numbers(where, pair)
    elif chart["type"] == "heat":
        rows = chart["cosines"]
        if {len(chart["texts"])} != {len(row) for row in rows} | {len(rows)}:
            fail(f"{where}: the heat map is not square")
        check_numbers(where, *rows)
    else:
        fail(f"{where}: a chart of type {chart['type']!r}")


def cells(table):
    width = len(table["head"])
    for row in [table["head"], *table["rows"]]:
        if len(row) != width:
            fail(f"a row of {len(row)} cells under {width} heads")
        for cell in row:
            yield cell if isinstance(cell, str) else cell[0]


def main():
    source = pathlib.Path(sys.argv[1]).read_bytes().decode()
    before, after = template().split("$REPORT$")
    if not source.startswith(before) or not source.endswith(after):
        fail("the page is not the template with data in it")
    text = source[len(before) : len(source) - len(after)]
    if "<" in text:
        fail("a '<' in the data could end the script element")
    report = json.loads(text, parse_constant=lambda name: fail(f"{name} in the data"))
    figures, notes, texts = [], [], []
    for section in report["sections"]:
        for block in section["blocks"]:
            if block["kind"] == "figure":
                figures.append(block)
                if not block["title"] or not block["description"]:
                    fail("a figure without a title or a description")
                check_chart(block["title"], block["chart"])
            elif block["kind"] == "note":
                notes.append(block["text"])
            else:
                texts += cells(block["table"])
    print(
        json.dumps(
            {
                "bytes": len(source.encode()),
                "data_bytes": len(text.encode()),
                "notes": notes,
                "titles": [figure["title"] for figure in figures],
                "cells": texts,
                "data": report,
            },
            ensure_ascii=False,
        )
    )


main()
