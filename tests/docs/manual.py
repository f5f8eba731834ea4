#!/usr/bin/env python3
"""manual.py ROOT: every example in the comments of contrastive.h compiles as C99.

An example is a block that is indented by four spaces. Blocks that begin with a brace are JSON and
are parsed instead. An example may use the variables in CONTEXT, or declare its own.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CONTEXT = """
  cs_error *error = NULL;
  cs_model *model = NULL, *reranker = NULL;
  cs_dataset *data = NULL;
  const char *texts[2] = {"a", "b"};
  const int64_t n = 2, dimension = 384;
  float vectors[2 * 384] = {0}, query[384] = {0}, scores[4] = {0};
"""
HEAD = "#include <contrastive/contrastive.h>\n#include <math.h>\n#include <stdio.h>\n"


def examples(text):
    """(line, code) of each example in the comments."""
    for comment in re.finditer(r"/\*\*.*?\*/", text, re.S):
        first = text.count("\n", 0, comment.start()) + 1
        lines = [re.sub(r"^ \* ?", "", line) for line in comment[0].splitlines()]
        start = None
        for number, line in enumerate([*lines, "end"]):
            if line.startswith("    ") and (start is not None or not lines[number - 1].strip()):
                start = number if start is None else start
            elif line.strip() and start is not None:
                yield first + start, "\n".join(each[4:] for each in lines[start:number])
                start = None


def program(code):
    """A complete program around an example. Definitions of functions come before main."""
    if "int main(" in code:
        return code
    parts = re.split(r"(?ms)^(static .*?^}\n)", code)
    functions, statements = "".join(parts[1::2]), "".join(parts[0::2])
    return f"{HEAD}{functions}int main(void) {{{CONTEXT}  {{\n{statements}\n  }}\n  return 0;\n}}\n"


root = pathlib.Path(sys.argv[1])
header = root / "capi/include/contrastive/contrastive.h"
compiled, failed = 0, 0
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "example.c"
    for line, code in examples(header.read_text()):
        compiled += 1
        if code.startswith("{"):
            json.loads(code)
            continue
        source.write_text(program(code))
        command = [os.environ.get("CC", "cc"), "-std=c99", "-pedantic-errors", "-fsyntax-only"]
        command += ["-Wall", "-Werror", "-Wno-unused", "-I", root / "capi/include", source]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            failed += 1
            print(
                f"{header}:{line}: the example does not compile\n{result.stderr}", file=sys.stderr
            )
if failed or compiled < 15:
    sys.exit(f"{failed} of {compiled} examples do not compile; at least 15 are expected")
print(f"{compiled} examples of contrastive.h compile")
