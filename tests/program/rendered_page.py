#!/usr/bin/env python3
"""rendered_page.py FILE...: what Chromium makes of these reports.

Every chart draws marks. The page requests nothing, writes nothing to the console, fits a telephone,
follows dark mode, and prints in light colours. Charts show tooltips and zoom. Exits with 77 if
Chromium or its driver is missing.
"""

import base64
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "serve"))
from browser import Browser, missing  # noqa: E402

# Pixels of each canvas that differ from its corner.
MARKS = """return drawings.map(({canvas}) => {
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let drawn = 0;
  for (let i = 0; i < data.length; i += 4) drawn += data[i + 3] > 0;
  return drawn;
})"""
# Of each chart: its data sets with a number that lies inside the axes, and how many there are.
DRAWN = """return drawings.map(({chart}) => {
  const {left, right, top, bottom} = chart.chartArea;
  const inside = (p) => p.x >= left - 1 && p.x <= right + 1 && p.y >= top - 1 && p.y <= bottom + 1;
  return [chart.data.datasets.filter((_, i) => chart.getDatasetMeta(i).data.some(inside)).length,
          chart.data.datasets.length];
})"""
COUNTS = """const blocks = report.sections.flatMap((section) => section.blocks);
const kinds = (...names) => blocks.filter((block) => names.includes(block.kind)).length;
const heat = document.querySelectorAll(".heat").length;
const all = (selector) => document.querySelectorAll(selector).length;
return {figures: [kinds("figure"), all("figure")], notes: [kinds("note"), all(".note")],
        charts: [kinds("figure") - heat, all("figure canvas")],
        tables: [kinds("table", "details"), all(".scroll table")], scripts: [4, all("script")],
        sections: [report.sections.length, all("section")],
        foreign: [0, all("main b, main img")]}"""
# Scrolls to a chart and returns the place of a point of its last line and the chart's area.
PLACE = """const {chart, canvas} = drawings[arguments[0]];
canvas.scrollIntoView({block: "center"});
const box = canvas.getBoundingClientRect(), area = chart.chartArea;
const last = chart.getDatasetMeta(chart.data.datasets.length - 1);
const points = last.data.filter((p) => !p.skip);
const point = points[Math.floor(points.length / 2)];
return {x: box.x + point.x, y: box.y + point.y, left: box.x + area.left, right: box.x + area.right,
        middle: box.y + (area.top + area.bottom) / 2, bottom: box.y + area.bottom}"""


def check(condition, message):
    if not condition:
        raise AssertionError(message)


TOOLTIP = """const {tooltip} = drawings[arguments[0]].chart;
return [tooltip.opacity, tooltip.body?.[0]?.lines?.[0] ?? ""]"""
ZOOMED = """const {chart, reset} = drawings[arguments[0]];
return [chart.isZoomedOrPanned(), !reset.hidden]"""
SWITCHES = "return document.querySelectorAll('.legend button').length"
CLICK = "document.querySelectorAll('.legend button')[arguments[0]].click()"
# How many data sets of a run are visible in all charts.
SEEN = """const shown = ({chart}) => chart.data.datasets.filter((set, i) =>
  set.run === report.runs[arguments[0]].letter && chart.isDatasetVisible(i));
return drawings.flatMap(shown).length"""


class Page:
    def __init__(self, browser, file):
        self.browser, self.file = browser, file
        self.url = pathlib.Path(file).resolve().as_uri()
        browser.entries("browser"), browser.requested()
        self.media("light")
        self.size(1200, 900)
        browser.open(self.url)

    def devtools(self, command, **parameters):
        body = {"cmd": command, "params": parameters}
        return self.browser.call("POST", "/goog/cdp/execute", body)

    def media(self, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def size(self, width, height):
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def settle(self):
        self.browser.run_async(
            "const done = arguments[arguments.length - 1];"
            "requestAnimationFrame(() => requestAnimationFrame(() => done()))"
        )

    def mouse(self, kind, x, y, clicks=0):
        self.devtools(
            "Input.dispatchMouseEvent",
            type=kind,
            x=x,
            y=y,
            clickCount=clicks,
            button="none" if kind == "mouseMoved" and clicks == 0 else "left",
            buttons=1 if clicks else 0,
        )

    def drawn(self):
        for name, (wanted, found) in self.browser.run(COUNTS).items():
            check(wanted == found, f"{name}: {found}, not {wanted}")
        check(all(pixels > 500 for pixels in self.browser.run(MARKS)), "an empty chart")
        for number, (shown, sets) in enumerate(self.browser.run(DRAWN)):
            check(shown == sets > 0, f"chart {number}: {shown} of {sets} data sets are drawn")
        check("NaN" not in self.browser.text("main"), "NaN on the page")

    def dark(self):
        background = "return getComputedStyle(document.body).backgroundColor"
        light = self.browser.run(background)
        colour = "return drawings[0]?.chart.options.plugins.marks.colours.page ?? ''"
        chart = self.browser.run(colour)
        self.media("dark")
        self.settle()
        check(self.browser.run(background) != light, "dark mode has the light background")
        check(chart == "" or self.browser.run(colour) != chart, "charts keep their light colours")
        self.drawn()
        # Print is light whatever the mode, and leaves the mode as it was.
        self.browser.run(
            "window.printed = []; addEventListener('beforeprint', () =>"
            "printed.push(getComputedStyle(document.body).backgroundColor))"
        )
        pdf = base64.b64decode(self.devtools("Page.printToPDF", printBackground=True)["data"])
        check(pdf.startswith(b"%PDF"), "no PDF")
        check(self.browser.run("return printed") == [light], "print is not light")
        check(self.browser.run(background) != light, "the page stays as it is printed")
        self.media("light")
        self.settle()

    def telephone(self):
        self.size(390, 800)
        self.settle()
        width = self.browser.run("return document.documentElement.scrollWidth")
        check(width <= 390, f"{width} pixels wide on a telephone")
        self.drawn()
        self.size(1200, 900)
        self.settle()

    def pointer(self):
        """A tooltip, zoom by dragging, and back by a double click."""
        for number in range(self.browser.run("return drawings.length")):
            place = self.browser.run(PLACE, number)
            self.mouse("mouseMoved", place["x"], place["y"])
            self.settle()
            shown = self.browser.run(TOOLTIP, number)
            check(shown[0] == 1 and shown[1], f"chart {number} says nothing where it is pointed at")
            left = place["left"] + (place["right"] - place["left"]) * 0.3
            right = place["left"] + (place["right"] - place["left"]) * 0.8
            self.mouse("mouseMoved", left, place["middle"])
            self.mouse("mousePressed", left, place["middle"], clicks=1)
            self.mouse("mouseMoved", right, place["bottom"] - 20, clicks=1)
            self.mouse("mouseReleased", right, place["bottom"] - 20, clicks=1)
            zoomed = self.browser.run(ZOOMED, number)
            check(zoomed == [True, True], f"chart {number} does not zoom")
            for clicks in (1, 2):
                self.mouse("mousePressed", left, place["middle"], clicks=clicks)
                self.mouse("mouseReleased", left, place["middle"], clicks=clicks)
            zoomed = self.browser.run(ZOOMED, number)
            check(zoomed == [False, False], f"chart {number} stays zoomed")

    def switches(self):
        """A click on a run in the key hides its curves."""
        for number in range(self.browser.run(SWITCHES)):
            before = self.browser.run(SEEN, number)
            self.browser.run(CLICK, number)
            check(self.browser.run(SEEN, number) == 0, f"run {number} is not hidden")
            self.browser.run(CLICK, number)
            check(self.browser.run(SEEN, number) == before, f"run {number} does not come back")

    def nothing_requested(self):
        # The browser loads parts of itself (chrome:) and an image in a URL (data:) to print.
        others = [
            url
            for url in self.browser.requested()
            if url != self.url and not url.startswith(("chrome:", "data:"))
        ]
        check(not others, f"requested {others[:3]}")
        # "rendering" is about the way in which this test reads pixels.
        said = [
            entry for entry in self.browser.entries("browser") if entry["source"] != "rendering"
        ]
        check(not said, f"the console says {said[:3]}")


def main():
    if missing():
        print(f"skipped: {missing()} is not installed")
        sys.exit(77)
    browser, failures = Browser(), 0
    try:
        for file in sys.argv[1:]:
            try:
                page = Page(browser, file)
                for part in (
                    page.drawn,
                    page.dark,
                    page.telephone,
                    page.pointer,
                    page.switches,
                    page.nothing_requested,
                ):
                    part()
            except AssertionError as failure:
                print(f"{file}: {failure}", file=sys.stderr)
                failures += 1
    finally:
        browser.close()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
