"""values.py HEADER: a C program that prints what programs have compiled into them from this header:
constants, macros that are numbers, sizes of types, size and offset of every field, and what an
initialiser sets. It compiles where every function has its signature. abi.sh compiles it with a
recorded header and with today's."""

import re
import sys

code = re.sub(r"/\*.*?\*/", "", open(sys.argv[1]).read(), flags=re.S)
lines = ["#include <contrastive/contrastive.h>", "#include <stdio.h>", "int main(void) {"]


for result, name, parameters in re.findall(r"CS_API\s+([^;()]*?)\s*\b(cs_\w+)\(([^;]*)\);", code):
    lines.append(
        f'  _Static_assert(_Generic(&{name}, {result} (*)({parameters}): 1, default: 0), "{name} '
        f'has another signature");'
    )


def value(name, expression):
    lines.append(f'  printf("{name} %lld\\n", (long long)({expression}));')


for body in re.findall(r"\benum\s*\w*\s*\{([^}]*)\}", code):
    for name in re.findall(r"\b(CS_\w+)\s*(?==|,|$)", body):
        value(name, name)
for name in re.findall(r"^#define (CS_\w+) -?\d+$", code, re.M):
    if name not in (
        "CS_VERSION_MAJOR",
        "CS_VERSION_MINOR",
        "CS_VERSION_PATCH",
        "CS_ABI_VERSION",
    ):  # each release has its own
        value(name, name)
for kind in re.findall(r"\btypedef\s+\w+\s+(cs_\w+);", code):
    value(f"sizeof({kind})", f"sizeof({kind})")
for body, kind in re.findall(r"\btypedef\s+struct\s+\w*\s*\{([^}]*)\}\s*(cs_\w+);", code):
    fields = re.findall(r"(\w+)\s*;", body)
    for field in fields:
        value(f"offsetof({kind}, {field})", f"offsetof({kind}, {field})")
        value(f"sizeof({kind}.{field})", f"sizeof((({kind} *)0)->{field})")
    initialiser = kind.upper() + "_INIT"
    if f"#define {initialiser} " in code:
        lines.append(f"  const {kind} initial_{kind} = {initialiser};")
        for field in fields:
            if field != "struct_size":  # grows with the struct
                value(f"{initialiser}.{field}", f"initial_{kind}.{field}")
if len(lines) < 100:
    sys.exit(f"{sys.argv[1]}: only {len(lines)} values and signatures were found")
print("\n".join(lines + ["  return 0;", "}"]))
