#!/usr/bin/env python3
"""licences.py ROOT BUILD: THIRD_PARTY_LICENSES lists everything that the binaries hold or load and
that the packages depend on.

What was compiled in is read from the build (every header of a shipped object, by the Debian package
that owns it), what is loaded from the binaries, and what packages name from their own descriptions.
An entry that nothing uses is an error too. `--plant NAME` leaves an entry out, and must fail.
"""

import argparse
import pathlib
import re
import subprocess
import sys

# Of the compiler, the C library and the kernel: no licence asks that a program names them, but for
# GCC's libraries, which have an entry.
SYSTEM_PACKAGES = re.compile(
    r"(libc6-dev.*|libc-dev-bin|linux-libc-dev.*|libstdc\+\+-.*|libgcc-.*|gcc-.*|g\+\+-.*|cpp-.*)$"
)
SYSTEM_LIBRARIES = re.compile(r"(libc|libm|libdl|libpthread|librt|ld-linux-[a-z0-9-]+)\.so\.\d+$")
OWN_LIBRARIES = re.compile(r"libcontrastive(-torch)?\.so\.0$")
BINARIES = ("libcontrastive.so.0", "libcontrastive-torch.so.0", "contrastive")


def entries(text):
    """Name -> the fields and the licence's text under its heading."""
    found = {}
    for match in re.finditer(
        r"(?m)^-{100}\n(.+)\n-{100}\n((?:(?!^-{100}\n.+\n-{100}\n)(?s:.))*)", text
    ):
        fields = dict(
            re.findall(r"(?m)^([A-Z][A-Za-z ]+): (.+(?:\n  .+)*)", match[2].split("\n\n")[0])
        )
        found[match[1]] = {"fields": fields, "text": match[2].partition("\n\n")[2].strip()}
    return found


def words(listed, field):
    return {
        word
        for entry in listed.values()
        for word in re.findall(r"[\w.+-]+", entry["fields"].get(field, ""))
    }


def header_packages(build):
    """The Debian packages whose headers a shipped object includes, and whether LibTorch's are among
    them."""
    deps = subprocess.run(
        ["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True
    ).stdout
    headers, torch, gloo, shipped = set(), False, False, False
    for line in deps.splitlines():
        if line and not line.startswith(" "):
            shipped = line.startswith(("core/", "capi/"))
        elif shipped:
            path = line.strip()
            torch = torch or "/torch/include/" in path or "/ATen/" in path
            gloo = (
                gloo or "/gloo-headers/usr/include/" in path
            )  # libgloo-dev, unpacked by packaging/bootstrap.sh
            if path.startswith("/usr/include/"):
                headers.add(path)
    if len(headers) < 100:
        sys.exit(f"only {len(headers)} headers of the system were found in the build")
    owners = subprocess.run(["dpkg", "-S", *sorted(headers)], capture_output=True, text=True).stdout
    packages = {"libgloo-dev"} if gloo else set()
    for line in owners.splitlines():
        packages.update(name.split(":")[0].strip() for name in line.split(": /")[0].split(","))
    return {
        re.sub(r"^libboost[\d.]*-dev$", "libboost-dev", name)
        for name in packages
        if not SYSTEM_PACKAGES.match(name)
    }, torch


def loaded_libraries(build):
    needed = set()
    for name in BINARIES:
        out = subprocess.run(
            ["readelf", "-dW", str(build / name)], capture_output=True, text=True, check=True
        ).stdout
        needed |= set(re.findall(r"\(NEEDED\).*\[(.+)\]", out))
    return {
        name
        for name in needed
        if not SYSTEM_LIBRARIES.match(name) and not OWN_LIBRARIES.match(name)
    }


def crate_dependencies(root):
    names = set()
    for manifest in root.glob("bindings/rust/*/Cargo.toml"):
        for section in re.findall(
            r"(?ms)^\[(?:build-)?dependencies\]\n(.*?)(?=^\[|\Z)", manifest.read_text()
        ):
            names |= set(re.findall(r"(?m)^([\w-]+) *=", section))
    return names - {"contrastive-sys"}


def nuget_dependencies(root):
    return set(
        re.findall(
            r'PackageReference Include="([^"]+)"',
            (root / "bindings/csharp/Contrastive/Contrastive.csproj").read_text(),
        )
    )


def maven_dependencies(root):
    pom = (root / "bindings/java/contrastive/pom.xml").read_text()
    parent = (root / "bindings/java/pom.xml").read_text()
    names = set()
    for block in re.findall(
        r"(?s)<dependency>.*?</dependency>", re.sub(r"(?s)<build>.*?</build>", "", pom)
    ):
        artifact = re.search(r"<artifactId>(.*?)</artifactId>", block)[1]
        managed = re.search(
            rf"(?s)<artifactId>{re.escape(artifact)}</artifactId>"
            r"(?:(?!</dependency>).)*?<scope>(\w+)</scope>",
            block + parent,
        )
        own = artifact.startswith("contrastive")
        if not own and (not managed or managed[1] not in ("test", "provided")):
            names.add(artifact)
    return names


def scripts(root):
    """What the pages that the program writes hold of others."""
    return {path.name for path in root.glob("capi/program/*/vendor/*.js")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--plant", help="leave this entry out of the list")
    arguments = parser.parse_args()
    listed = entries((arguments.root / "THIRD_PARTY_LICENSES").read_text())
    if arguments.plant:
        del listed[arguments.plant]
    if not pathlib.Path("/var/lib/dpkg/status").exists():
        print("skipped: the owners of headers are asked of dpkg, which this system has not")
        sys.exit(77)

    complaints = []
    for name, entry in listed.items():
        missing = [
            field
            for field in ("Licence", "Home", "Where", "What for")
            if field not in entry["fields"]
        ]
        if missing or len(entry["text"]) < 100:
            complaints.append(
                f"{name}: the entry lacks {', '.join(missing) or 'the text of the licence'}"
            )

    headers, torch = header_packages(arguments.build)
    loaded = loaded_libraries(arguments.build)
    root = arguments.root
    uses = {
        "Debian package": headers,
        "Shared libraries": loaded,
        "Crates": crate_dependencies(root),
        "NuGet packages": nuget_dependencies(root),
        "Maven artifacts": maven_dependencies(root),
        "Scripts": scripts(root),
    }
    for field, used in uses.items():
        for name in sorted(used - words(listed, field)):
            complaints.append(f"{name} is used and is not under '{field}' of any entry")
    if torch and "LibTorch" not in listed:
        complaints.append("LibTorch's headers are compiled in and it has no entry")
    packages = {
        name
        for name in words(listed, "Debian package")
        if name.endswith("-dev") and not re.search(r"boost[\d.]", name)
    }
    for name in sorted(packages - headers):
        complaints.append(f"{name} is listed and nothing of it is compiled in")
    notice = (arguments.root / "NOTICE").read_text()
    if "THIRD_PARTY_LICENSES" not in notice or "Apache License, Version 2.0" not in notice:
        complaints.append("NOTICE names neither the licence nor THIRD_PARTY_LICENSES")

    if complaints:
        sys.exit("\n".join(complaints))
    counts = ", ".join(f"{len(used)} {field.lower()}" for field, used in uses.items())
    print(f"{len(listed)} entries; used and listed: {counts}")


main()
