#!/usr/bin/env python3
"""citation.py ROOT SCHEMA: CITATION.cff is valid by the schema of its format, has the version of
CMakeLists.txt, and cites the papers of the four methods."""

import json
import pathlib
import re
import sys

root, schema = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing} (packaging/bootstrap.sh docs)")
    sys.exit(77)
if not schema.exists():
    print(f"skipped: {schema} is not there (packaging/bootstrap.sh docs)")
    sys.exit(77)

validator = jsonschema.Draft7Validator(json.loads(schema.read_text()))
citation = yaml.safe_load((root / "CITATION.cff").read_text())
complaints = [
    f"{'/'.join(map(str, error.path)) or 'the file'}: {error.message[:200]}"
    for error in validator.iter_errors(citation)
]
version = re.search(
    r"project\(contrastive VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text()
)[1]
if citation.get("version") != version:
    complaints.append(f"version {citation.get('version')} is not {version} of CMakeLists.txt")
methods = {reference.get("notes") for reference in citation.get("references", [])}
for method in ("clsr", "consert", "clear", "sgopt"):
    if f"Method {method}" not in methods:
        complaints.append(f"the paper of method {method} is not among the references")
broken = dict(citation)
del broken["authors"]
if validator.is_valid(broken):
    complaints.append("the schema allows a citation without authors, so it checks nothing")
if complaints:
    sys.exit("\n".join(complaints))
print(f"CITATION.cff is valid, version {version}, {len(methods)} papers")
