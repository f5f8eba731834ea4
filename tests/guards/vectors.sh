#!/usr/bin/env bash
# vectors.sh ROOT: a test reads every section of the test vectors (core/torch/methods/README.md 4;
# four files of tests/fixtures), and every named part of one, so that every published value is
# tested.
set -euo pipefail
cd "$1"
python3 - <<'PYTHON'
import json, pathlib, re, sys
texts = {path: path.read_text() for path in pathlib.Path("tests").rglob("*") if path.suffix in (".cpp", ".h")}

def sources_of(file):
    # A name counts in a test that opens this very file, or includes a header that does.
    readers = {path for path, text in texts.items() if re.search(rf"(?<!_){re.escape(file)}", text)}
    headers = tuple(f'#include "{path}"' for path in readers if path.suffix == ".h")
    return "".join(text for path, text in texts.items() if path in readers or any(line in text for line in headers))

def parts_of(content):
    # What is named: lists, objects and numbers with a name of their own, and what a list of cases expects. Texts explain.
    if isinstance(content, list):
        content = content[0] if content and isinstance(content[0], dict) else {}
        content = content.get("expected", {})
    if not isinstance(content, dict):
        return []
    return [name for name, part in content.items() if not isinstance(part, str) and len(name) > 3]

count, missing = 0, []
for file in ("vectors.json", "clear_vectors.json", "consert_vectors.json", "sg_opt_vectors.json"):
    sources = sources_of(file)
    sections = json.load(open(f"tests/fixtures/{file}"))
    if file == "sg_opt_vectors.json":  # one section, which has no name of its own
        sections = {part: content for part, content in sections.items() if part in parts_of(sections)}
    for section, content in sections.items():
        names = [section] + [f"{section}.{name}" for name in parts_of(content)]
        count += len(names)
        missing += [f"{file}: {name}" for name in names if f'"{name.split(".", 1)[-1]}"' not in sources]
print(f"{count} parts of the published vectors, {len(missing)} that no test reads" + "".join("\n  " + name for name in missing))
sys.exit(1 if missing or count < 60 else 0)
PYTHON
