#!/usr/bin/env python3
"""Writes contrastive-sys/src/declarations.rs from capi/include/contrastive/contrastive.h.

    bindings/rust/generate.py [OUTPUT]

The header is read by a strict grammar: one pattern for each kind of declaration that it has.
Anything else is an error that names the line, so that nothing is left out silently.
"""

import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE.parent.parent / "capi/include/contrastive/contrastive.h"
WIDTH = 100

TYPES = {
    "char": "c_char",
    "void": "c_void",
    "float": "f32",
    "double": "f64",
    "int32_t": "i32",
    "int64_t": "i64",
    "uint32_t": "u32",
    "uint8_t": "u8",
}
KEYWORDS = set(
    "as async await box const crate dyn else enum extern fn for gen if impl in let loop "
    "match mod move mut pub ref return self static struct super trait type unsafe use "
    "where while yield".split()
)
# Lines that only a C compiler needs.
SKIPPED = re.compile(
    r"""\#(?:ifndef\ CONTRASTIVE_CONTRASTIVE_H | define\ CONTRASTIVE_CONTRASTIVE_H
    | include\ <std(?:def|int)\.h> | (?:el)?if\ defined\((?:__GNUC__|CS_BUILDING_DLL)\)
    | ifdef\ __cplusplus | else | endif
    | define\ CS_API(?:\ __declspec\(dllexport\)
                        |\ __attribute__\(\(visibility\("default"\)\)\))?)
    \s* (?:/\*.*\*/)? $""",
    re.X,
)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
DIRECTIVE = re.compile(r"#(?:[^\n]*\\\n)*[^\n]*")
BRACES = re.compile(r'extern "C" \{|\}')
OPAQUE = re.compile(r"typedef struct (\w+)\s+\1\s*;")
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.S)
CALLBACK = re.compile(r"typedef ([\w *]+?)\(\*(\w+)\)\(([^()]*)\);")
ALIAS = re.compile(r"typedef (\w+) (\w+);")
ENUM = re.compile(r"enum \{(.*?)\};", re.S)
FUNCTION = re.compile(r"CS_API ([\w *]+?)\b(cs_\w+)\(([^()]*)\);", re.S)
CONSTANT = re.compile(r"#define (CS_\w+) (-?\d+)$")
INITIALISER = re.compile(r"#define (CS_\w+)_INIT\s+\{(.*)\}$")


class Problem(Exception):
    pass


def prose(comment):
    """The text of a comment, without stars and line ends."""
    lines = comment[2:-2].lstrip("*<").splitlines()
    return " ".join(re.sub(r"^\s*\*? ?", "", line).strip() for line in lines).strip()


def doc(text, indent):
    """Lines `/// ...`, of which none is an HTML tag or an item of a list."""
    lines = textwrap.wrap(
        re.sub(r"[<>]", r"\\\g<0>", text),
        WIDTH - len(indent) - 5,
        break_long_words=False,
        break_on_hyphens=False,
    )
    marker = re.compile(r"^(\d*)([-+*#]|(?<=\d)[.)])(?=\s)")
    return [f"{indent}/// " + marker.sub(r"\1\\\2", line) for line in lines]


def summary(comment):
    """The first sentence of the comment above a declaration; the header has the rest."""
    text = re.split(r"(?:^|\s)@\w", prose(comment))[0].strip()
    sentence = re.match(r".*?(?<!\.)\.(?=\s|$)", text)
    return sentence[0] if sentence else text


def name_of(name):
    return f"r#{name}" if name in KEYWORDS else name


class Generator:
    def __init__(self):
        self.known = dict(TYPES)
        self.fields = {}  # struct -> [(name, type)]
        self.handles, self.values, self.items, self.functions = [], [], [], []

    def type(self, c):
        """`const char *const *` becomes `*const *const c_char`."""
        tokens = c.replace("*", " * ").split()
        constant = tokens[:1] == ["const"]
        tokens = tokens[constant:]
        if not tokens or tokens[0] not in self.known:
            raise Problem(f"the type '{c.strip()}' is not known")
        rust = self.known[tokens[0]]
        for token in tokens[1:]:
            if token == "*":
                rust, constant = f"*{'const' if constant else 'mut'} {rust}", False
            elif token == "const":
                constant = True
            else:
                raise Problem(f"the type '{c.strip()}' is not known")
        if rust == "c_void":
            raise Problem("void is not a type of a value")
        return rust

    def variable(self, c):
        match = re.fullmatch(r"\s*(.*?[\s*])(\w+)\s*", c, re.S)
        if not match:
            raise Problem(f"'{c.strip()}' is not a type and a name")
        return name_of(match[2]), self.type(match[1])

    def parameters(self, c):
        if c.strip() == "void":
            return []
        return [f"{name}: {kind}" for name, kind in map(self.variable, c.split(","))]

    def result(self, c):
        return "" if c.strip() == "void" else f" -> {self.type(c)}"

    def members(self, body, separator):
        """(member, comment) of a struct or enum, whose comments are behind the members."""
        pattern = re.compile(
            rf"\s*([^{separator}/]+?)\s*(?:{separator}|(?=/|$))\s*(/\*\*<.*?\*/)?\s*", re.S
        )
        place, found = 0, []
        while place < len(body.rstrip()):
            match = pattern.match(body, place)
            if not match or match.end() == place:
                line = body[place:].strip().splitlines()[0]
                raise Problem(f"'{line}' is not a member with its comment")
            found.append((match[1], match[2]))
            place = match.end()
        return found

    # --- one method for each kind of declaration; `comment` is the one above it, or None

    def opaque(self, match, comment):
        self.known[match[1]] = match[1]
        self.handles.append([match[1], None])

    def alias(self, match, comment):
        target = self.type(match[1])
        self.known[match[2]] = match[2]
        self.items.append([*doc(summary(comment), ""), f"pub type {match[2]} = {target};"])

    def callback(self, match, comment):
        self.known[match[2]] = match[2]
        parameters, result = ", ".join(self.parameters(match[3])), self.result(match[1])
        line = f'pub type {match[2]} = Option<unsafe extern "C" fn({parameters}){result}>;'
        if len(line) > WIDTH:
            line = line.replace(" = ", " =\n    ", 1)
        self.items.append([*doc(summary(comment), ""), line])

    def enum(self, match, comment):
        for member, remark in self.members(match[1], ","):
            constant = re.fullmatch(r"(CS_\w+)\s*=\s*(-?\d+)", member)
            if not constant:
                raise Problem(f"'{member}' is not a constant with its number")
            self.values.append((constant[1], constant[2], remark and prose(remark)))

    def constant(self, match, comment):
        self.values.append((match[1], match[2], summary(comment)))

    def struct(self, match, comment):
        self.known[match[1]] = match[1]
        lines = [
            *doc(summary(comment), ""),
            "#[repr(C)]",
            "#[derive(Clone, Copy)]",
            f"pub struct {match[1]} {{",
        ]
        self.fields[match[1]] = []
        for member, remark in self.members(match[2], ";"):
            name, kind = self.variable(member)
            self.fields[match[1]].append((name, kind))
            lines += [*(doc(prose(remark), "    ") if remark else []), f"    pub {name}: {kind},"]
        self.items.append([*lines, "}"])

    def initialiser(self, match, comment):
        kind = match[1].lower()
        if kind not in self.fields:
            raise Problem(f"there is no struct {kind} for this initialiser")
        values = [value.strip() for value in match[2].split(",")]
        if len(values) != len(self.fields[kind]):
            raise Problem(f"{len(values)} values for {len(self.fields[kind])} fields")
        lines = [*doc(summary(comment), ""), f"pub const {match[1]}_INIT: {kind} = {kind} {{"]
        for (name, rust), value in zip(self.fields[kind], values):
            if value == "NULL" and rust.startswith("*"):
                value = "std::ptr::null()" if rust.startswith("*const") else "std::ptr::null_mut()"
            elif value == f"(uint32_t)sizeof({kind})":
                value = f"std::mem::size_of::<{kind}>() as u32"
            elif not re.fullmatch(r"-?\d+", value):
                raise Problem(f"the value '{value}' is not known")
            lines.append(f"    {name}: {value},")
        self.items.append([*lines, "};"])

    def function(self, match, comment):
        parameters, result = self.parameters(match[3]), self.result(match[1])
        line = f"    pub fn {match[2]}({', '.join(parameters)}){result};"
        if len(line) > WIDTH:
            line = "\n".join(
                [
                    f"    pub fn {match[2]}(",
                    *(f"        {each}," for each in parameters),
                    f"    ){result};",
                ]
            )
        self.functions.append([*doc(summary(comment), "    "), line])

    # ---

    def read(self, text):
        place, comment = 0, None
        kinds = [
            (OPAQUE, self.opaque),
            (STRUCT, self.struct),
            (CALLBACK, self.callback),
            (ALIAS, self.alias),
            (ENUM, self.enum),
            (FUNCTION, self.function),
        ]
        while place < len(text):
            if text[place].isspace():
                place += 1
                continue
            try:
                place, comment = self.declaration(text, place, comment, kinds)
            except Problem as problem:
                sys.exit(f"{HEADER}:{text.count(chr(10), 0, place) + 1}: {problem}")

    def declaration(self, text, place, comment, kinds):
        """Reads what begins at `place`. Returns where it ends, and the comment for what follows."""
        if match := COMMENT.match(text, place):
            if not match[0].startswith("/**<"):
                return match.end(), match[0] if match[0].startswith("/**") else None
            if not self.handles or self.handles[-1][1] is not None:
                raise Problem("this comment belongs to nothing")
            self.handles[-1][1] = prose(match[0])
            return match.end(), None
        if match := DIRECTIVE.match(text, place):
            line = re.sub(r"\s*\\\n\s*", " ", match[0]).strip()
            if SKIPPED.match(line):
                return match.end(), None
            for pattern, method in ((CONSTANT, self.constant), (INITIALISER, self.initialiser)):
                if found := pattern.match(line):
                    self.documented(found[1], comment)
                    method(found, comment)
                    return match.end(), None
            raise Problem(f"'{line}' is not a directive that this script knows")
        if match := BRACES.match(text, place):
            return match.end(), None
        for pattern, method in kinds:
            if match := pattern.match(text, place):
                if method not in (self.opaque, self.enum):
                    self.documented(match[0].split("(")[0], comment)
                method(match, comment)
                return match.end(), None
        line = text[place:].splitlines()[0]
        raise Problem(f"'{line}' is not a declaration that this script knows")

    @staticmethod
    def documented(what, comment):
        if comment is None:
            raise Problem(f"'{what}' has no comment /** ... */ above it")

    def write(self):
        out = [
            "// Written by bindings/rust/generate.py from contrastive.h: do not edit.",
            "// The comments are first sentences; the header is the manual.",
            "",
            "use std::os::raw::{c_char, c_void};",
            "",
            "opaque! {",
        ]
        for name, remark in self.handles:
            out += [*doc(f"A handle: {remark}." if remark else "A handle.", "    "), f"    {name}"]
        out += ["}", ""]
        for name, number, remark in self.values:
            out += [*(doc(remark, "") if remark else []), f"pub const {name}: i32 = {number};"]
        for item in self.items:
            out += ["", *item]
        out += ["", "functions! {"]
        for function in self.functions:
            out += function
        return "\n".join(out + ["}", ""])


def main():
    generator = Generator()
    generator.read(HEADER.read_text())
    output = sys.argv[1] if len(sys.argv) > 1 else HERE / "contrastive-sys/src/declarations.rs"
    pathlib.Path(output).write_text(generator.write())


main()
