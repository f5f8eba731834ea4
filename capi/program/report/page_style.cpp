// The report's style sheet. Colours are variables, so that dark mode and print change them in one
// place. The six of the runs are those of Okabe and Ito, made darker for a light page and lighter
// for a dark one: they stay apart for every common kind of colour blindness.
#include "capi/program/report/page.h"

namespace contrastive::cli::report {

const char* page_style() {
  return R"css(:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1b1f24; --soft: #5a636e; --line: #d5dae0; --hair: #e9ecf0; --tint: #f5f7f9; --heat: #0b5c9e; --minus: #b5480f; --on-heat: #ffffff;
  --c0: #0067b1; --c1: #c84c00; --c2: #00805c; --c3: #a9478b; --c4: #96690a; --c5: #167aa2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --ink: #e8eaed; --soft: #a0a8b2; --line: #3c434c; --hair: #262b32; --tint: #1c2026; --heat: #62b4f5; --minus: #ff9a62; --on-heat: #0c1116;
    --c0: #5caef2; --c1: #ff8a4c; --c2: #43c69b; --c3: #e493c7; --c4: #e8b84a; --c5: #7cd6f0;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
h1 { margin: 0; font-size: 1.9rem; line-height: 1.2; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { margin: 0 0 0.4rem; padding-top: 1.1rem; border-top: 2px solid var(--ink); font-size: 1.25rem; line-height: 1.3; }
h3 { margin: 0 0 0.5rem; font-size: 1rem; line-height: 1.3; overflow-wrap: anywhere; }
section { margin-top: 2.6rem; }
p { margin: 0.4rem 0; }
.subtitle, .introduction, figcaption, .caption, footer { color: var(--soft); }
.introduction { max-width: 46rem; margin-bottom: 1rem; }
figcaption, .caption { max-width: 46rem; margin-top: 0.5rem; font-size: 0.85rem; line-height: 1.45; }
.note { max-width: 46rem; margin: 0.7rem 0; padding: 0.5rem 0.8rem; border-left: 3px solid var(--line); background: var(--tint); color: var(--soft); font-size: 0.9rem; overflow-wrap: anywhere; }
footer { margin-top: 3rem; padding-top: 0.8rem; border-top: 1px solid var(--line); font-size: 0.85rem; overflow-wrap: anywhere; }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.35rem 0.9rem 0.35rem 0; border-bottom: 1px solid var(--hair); text-align: left; vertical-align: top; }
thead th { border-bottom: 1px solid var(--line); color: var(--soft); font-weight: 500; font-size: 0.82rem; vertical-align: bottom; overflow-wrap: normal; }
td.name { min-width: 8rem; max-width: 22rem; overflow-wrap: anywhere; }
td.key { min-width: 15rem; overflow-wrap: anywhere; }
td.value { min-width: 8rem; overflow-wrap: anywhere; }
td.number, td.date { white-space: nowrap; }
td.number, th.number { text-align: right; }
td.best { font-weight: 700; }
td.changed { font-weight: 700; }
td.default { color: var(--soft); }
td.letter { min-width: 1.6rem; color: var(--c); font-weight: 700; }
code, td.key, td.value { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; font-size: 0.82rem; }
details { margin-top: 1rem; }
summary { cursor: pointer; color: var(--soft); font-size: 0.9rem; }

.legend { display: flex; flex-wrap: wrap; gap: 0.3rem 1.4rem; margin: 0.9rem 0; padding: 0; list-style: none; font-size: 0.9rem; }
.legend li { overflow-wrap: anywhere; }
.badge { display: inline-block; min-width: 1.5em; padding: 0 0.35em; border-radius: 0.3em; background: var(--c); color: var(--page); font-size: 0.85em; font-weight: 700; text-align: center; }

.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); gap: 2.2rem 2.2rem; margin-top: 1.2rem; align-items: start; }
figure { margin: 0; min-width: 0; max-width: 38rem; break-inside: avoid; }
figure.wide, .figures > .note { grid-column: 1 / -1; max-width: none; }
.narrow { display: none; }
@media (max-width: 44rem) {
  .broad { display: none; }
  .narrow { display: block; }
  main { padding: 1.5rem 1rem 2rem; }
  td.key { min-width: 10rem; }
  h1 { font-size: 1.5rem; }
}
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg svg { overflow: hidden; }
svg text { fill: var(--ink); font-family: inherit; font-size: 12px; font-variant-numeric: tabular-nums; }
svg .tick { fill: var(--soft); font-size: 11.5px; }
svg .name { fill: var(--soft); font-size: 12px; }
svg .label { fill: var(--c); font-weight: 600; paint-order: stroke; stroke: var(--page); stroke-width: 3px; stroke-linejoin: round; }
svg .text { font-size: 12px; }
svg .value { font-size: 11px; }
svg .inverse { fill: var(--on-heat); }
.grid { stroke: var(--hair); }
.axis { stroke: var(--line); }
.rule { stroke: var(--soft); stroke-dasharray: 2 3; }
.frame { fill: none; stroke: var(--line); }
.line { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.faint { stroke-width: 1; opacity: 0.35; }
.crowded { stroke-width: 1.4; }
.course { stroke-width: 1.5; opacity: 0.55; }
.band { fill: var(--c); opacity: 0.2; }
.dots { fill: none; stroke: var(--c); stroke-width: 5; stroke-linecap: round; opacity: 0.55; }
.many { stroke-width: 3.6; opacity: 0.32; }
.marker { fill: var(--c); stroke: var(--page); stroke-width: 1.5; }
.ring { fill: none; stroke: var(--c); stroke-width: 1.8; }
.start { stroke-width: 1.2; stroke-dasharray: 2 2; }
.line.dash1 { stroke-dasharray: 7 4; }
.line.dash2 { stroke-dasharray: 2 4; }
.cell { fill: var(--heat); }
.minus { fill: var(--minus); }
.bond { fill: none; stroke: var(--c); stroke-width: 1.2; opacity: 0.5; }
.ink { --c: var(--ink); }
.c0 { --c: var(--c0); } .c1 { --c: var(--c1); } .c2 { --c: var(--c2); } .c3 { --c: var(--c3); } .c4 { --c: var(--c4); } .c5 { --c: var(--c5); }
.alike { --c: var(--c0); } .unlike { --c: var(--c1); }

@media print {
  :root {
    color-scheme: light;
    --page: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --hair: #e4e4e4; --tint: #ffffff; --heat: #0b5c9e; --minus: #b5480f; --on-heat: #ffffff;
    --c0: #0067b1; --c1: #c84c00; --c2: #00805c; --c3: #a9478b; --c4: #96690a; --c5: #167aa2;
  }
  @page { margin: 14mm; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .figures { grid-template-columns: 1fr 1fr; }
  .broad { display: block; }
  .narrow { display: none; }
  .badge { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  h2, h3 { break-after: avoid; }
  tr { break-inside: avoid; }
  .scroll { overflow: visible; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
)css";
}

}  // namespace contrastive::cli::report
