#!/usr/bin/env bash
# citations.sh ROOT: what a comment or a document cites exists: a document (a name that ends in .md)
# is in the tree, and a section number behind a README of core is one of that README's headings. In
# core string literals count as well, since keys state their sources in them.
set -euo pipefail
cd "$1"
python3 - <<'PYTHON'
import pathlib, re, sys

WRITTEN = {"table.md", "README.before.md", "README.before-2.md"}  # what the program and its tests write: a name of theirs, no document
FOLDERS = ("core", "capi", "tests", "bindings", "examples", "packaging")
GENERATED = {"build", "target", "obj", "bin", "fixtures", "corpus", "__pycache__"}
C_LIKE = {".h", ".inl", ".c", ".cpp", ".java", ".cs", ".go", ".rs", ".swg", ".in", ".js"}
HASHED = {".sh", ".py", ".txt", ".cmake", ".toml", ".supp"}
SECTION = r"\d+(?:\.\d+[a-z]?)?"

def comments(path, text):
    """The text with everything but comments blanked, so that places stay; a line's own comment mark is blanked too, which joins wrapped sentences."""
    if path.suffix == ".md" or (path.parts[0] == "core" and path.suffix in C_LIKE):
        kept = text
    else:
        pattern = r"//[^\n]*|/\*.*?\*/" if path.suffix in C_LIKE else r'(?m)(?:^|(?<=\s))#[^\n]*|""".*?"""' if path.suffix in HASHED else r"<!--.*?-->"
        kept, at = "", 0
        for match in re.finditer(pattern, text, re.S):
            kept += re.sub(r"[^\n]", " ", text[at:match.start()]) + match[0]
            at = match.end()
        kept += re.sub(r"[^\n]", " ", text[at:])
    if path.suffix == ".md":
        return re.sub(r"\[[^\]\n]*\](?=\()", lambda m: " " * len(m[0]), kept)  # of a link the target counts
    return re.sub(r"(?m)^([ \t]*)(//[/!]?|#|\*)(?=\s)", lambda m: m[1] + " " * len(m[2]), kept)

def is_there(name, path):
    """From the root, or from the folder of the file that cites it, or from one above that."""
    return name.split("/")[-1] in WRITTEN or any((folder / name).exists() for folder in path.parents)

files = [path for folder in FOLDERS for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file() and not GENERATED & set(path.parts)]
files = [path for path in files if path.suffix in C_LIKE | HASHED | {".md", ".csproj", ".xml"}] + sorted(pathlib.Path(".").glob("*.md"))
headings = {str(path): re.findall(rf"(?m)^##+ ({SECTION})\.? ", path.read_text()) for path in pathlib.Path("core").rglob("README.md")}
complaints = [f"{path}: two sections {number}" for path, numbers in headings.items() for number in sorted(set(numbers)) if numbers.count(number) > 1]
documents = sections = 0
for path in files:
    text = comments(path, path.read_text(errors="replace"))
    def complain(match, what):
        complaints.append(f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}: {what}")
    for match in re.finditer(r"(?<![\w./-])((?:[\w.-]+/)*[\w.-]+\.md)\b", text):
        documents += 1
        if not is_there(match[1], path):
            complain(match, f"cites {match[1]}, which is not in the tree: cite what is, or say the thing itself")
    # "core/eval/sts/README.md 1 to 4", "... 1.2 (negatives), 4.1 (head) and 4.2".
    note, more = r"(?:\s+\([^()]*\))?", r"(?:,|,?\s+and|\s+to)"
    for match in re.finditer(rf"(core/[\w/]+/README\.md)\s+({SECTION}{note}(?:{more}\s+\d+(?:\.\d+)?\b(?!/){note})*)", text):
        for number in re.findall(rf"(?<![\w.]){SECTION}(?![\w])", re.sub(r"\([^()]*\)", "", match[2])):
            sections += 1
            if number not in headings.get(match[1], []):
                complain(match, f"cites section {number} of {match[1]}, which has none")
print("\n".join(complaints), file=sys.stderr, end="\n" if complaints else "")
count = sum(map(len, headings.values()))
if count < 60 or sections < 50 or documents < 80:
    sys.exit(f"only {count} headings, {sections} citations of sections and {documents} of documents were found")
if complaints:
    sys.exit(f"{len(complaints)} complaints")
print(f"{len(files)} files cite documents {documents} times and the {count} sections of READMEs in core {sections} times: all are there")
PYTHON
