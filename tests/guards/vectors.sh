#!/usr/bin/env bash
# vectors.sh ROOT: every section of tests/fixtures/vectors.json, and every named part of one, is read by a test: a published value that nothing is
# held to would be there for show.
set -euo pipefail
cd "$1"
python3 - <<'PYTHON'
import json, pathlib, re, sys
# A name counts in a test that opens this very file, or includes a header that does.
texts = {path: path.read_text() for path in pathlib.Path("tests").rglob("*") if path.suffix in (".cpp", ".h")}
readers = {path for path, text in texts.items() if re.search(r"(?<!_)vectors\.json", text)}
headers = tuple(f'#include "{path}"' for path in readers if path.suffix == ".h")
sources = "".join(text for path, text in texts.items() if path in readers or any(line in text for line in headers))
names = []
for section, content in json.load(open("tests/fixtures/vectors.json")).items():
    names.append(section)
    if isinstance(content, dict):
        names += [f"{section}.{name}" for name, part in content.items() if isinstance(part, (dict, list)) and len(name) > 3]
missing = [name for name in names if f'"{name.split(".", 1)[-1]}"' not in sources]
print(f"{len(names)} parts of vectors.json, {len(missing)} that no test reads" + "".join("\n  " + name for name in missing))
sys.exit(1 if missing or len(names) < 20 else 0)
PYTHON
