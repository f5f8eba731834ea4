#!/usr/bin/env python3
"""sections.py HEADER: contrastive.h as Doxygen wants it, on standard output.

The opening comment is the site's first page. A section ("/* ---- Name ---- */") becomes a group,
with the plain comment below it as its text. The commands @param, @return and @since begin lines of
their own, and "@param a, b" becomes "@param a,b".
"""

import re
import sys


def with_commands(comment):
    comment = re.sub(r"(?<=[^\s*]) (@(?:param|return|since)\b)", r"\n * \1", comment)
    return re.sub(
        r"@param(\[out\])?((?: \w+,)+)\s+(?:\* )?(\w+)",
        lambda m: f"@param{m[1] or ''} {m[2].replace(' ', '')}{m[3]}",
        comment,
    )


def in_groups(text):
    parts = re.split(r"(?m)^/\* ---- (.+?) -+ \*/\n", text)
    out = [parts[0]]
    for number, (name, body) in enumerate(zip(parts[1::2], parts[2::2]), start=1):
        note = re.match(r"/\*(?!\*)(.*?)\*/\n", body, re.S)
        words = re.sub(r"(?m)^ \*", "", note[1]).strip() if note else ""
        body = body[note.end() :] if note else body
        end = body.find("#ifdef __cplusplus")
        end = len(body) if end < 0 else end
        out.append(
            f"/** @defgroup section{number} {name}\n{words}\n"
            f"@{{ */\n{body[:end]}/** @}} */\n{body[end:]}"
        )
    return "".join(out)


with open(sys.argv[1], encoding="utf-8") as file:
    source = file.read().replace("/**\n", "/** @mainpage\n", 1)
sys.stdout.write("/** @file\nThe C API in sections, each a group. */\n")
sys.stdout.write(
    in_groups(
        re.sub(r"/\*\*(?!<).*?\*/", lambda comment: with_commands(comment[0]), source, flags=re.S)
    )
)
