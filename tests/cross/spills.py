#!/usr/bin/env python3
"""spills.py FILE: no vector is stored to the stack as if the stack were aligned for it.

Windows aligns the stack to 16 bytes. A compiler that stores registers of 32 or 64 bytes there with
instructions that need aligned memory crashes now and then (GCC bug 54412). Functions that align
their frame themselves may use them.
"""

import re
import subprocess
import sys

ALIGNED = re.compile(r"\bv?mov(?:ap[sd]|dqa(?:32|64)?)\s")
WIDE = re.compile(r"%[yz]mm\d+")
STACK = re.compile(r"\(%r[sb]p\b")
ALIGNS = re.compile(r"\band\s+\$0xf+[0-9a-f]{0,2},%rsp|\band\s+\$-0x[0-9a-f]+,%rsp")


def main():
    path = sys.argv[1]
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True
    ).stdout
    functions = wide = 0
    found = []
    aligns = False
    for line in text.splitlines():
        if re.search(r"\bpush\s+%rbp", line) or re.match(r"[0-9a-f]+ <", line):
            aligns, functions = False, functions + 1
        if ALIGNS.search(line):
            aligns = True
        if WIDE.search(line):
            wide += 1
            if ALIGNED.search(line) and STACK.search(line) and not aligns:
                found.append(line.strip())
    if not wide:
        sys.exit(f"{path}: no wide vectors: this is not the file that was meant")
    print(f"{path}: {wide} instructions on wide vectors, {len(found)} unsafe stores")
    print("\n".join(found[:20]))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
