#!/usr/bin/env python3
"""Writes a NuGet package, and reads it again: a zip by the open packaging conventions, the same
bytes for the same input.

    nupkg.py VERSION COMMIT NUSPEC OUTPUT [FILE=PLACE...]   PLACE is the file's name in the package

An OUTPUT that ends in .snupkg becomes a package of symbols: the nuspec says so then, and lists no
dependency.
"""

import hashlib
import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

NUSPEC = "http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"
CONTENT_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
CORE = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
MANIFEST = "http://schemas.microsoft.com/packaging/2010/07/manifest"
DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def metadata(nuspec):
    """The elements of a nuspec's metadata by name."""
    return {
        child.tag.split("}")[1]: child
        for child in ElementTree.fromstring(nuspec).find("{%s}metadata" % NUSPEC)
    }


def for_symbols(nuspec):
    nuspec = re.sub(
        r" *<(license|readme|icon)\b.*?</\1>\n", "", nuspec
    )  # what a package of symbols must not have
    return re.sub(
        r" *<dependencies>.*</dependencies>\n",
        '    <packageTypes>\n      <packageType name="SymbolsPackage" />\n    </packageTypes>\n',
        nuspec,
        flags=re.S,
    )


def core_properties(told):
    text = {
        name: escape(told[name].text.strip())
        for name in ("authors", "description", "id", "version", "tags")
    }
    return (
        DECLARATION
        + '<coreProperties xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns="%s">\n' % CORE
        + "  <dc:creator>{authors}</dc:creator>\n  "
        "<dc:description>{description}</dc:description>\n  "
        "<dc:identifier>{id}</dc:identifier>\n"
        "  <version>{version}</version>\n  <keywords>{tags}</keywords>\n".format(**text)
        + "</coreProperties>\n"
    )


def relationships(parts):
    lines = [
        '  <Relationship Type="%s" Target="/%s" Id="R%s" />\n'
        % (kind, target, hashlib.sha256(target.encode()).hexdigest()[:16].upper())
        for kind, target in parts
    ]
    return DECLARATION + '<Relationships xmlns="%s">\n%s</Relationships>\n' % (
        RELATIONSHIPS,
        "".join(lines),
    )


def content_types(names):
    known = {
        "rels": "application/vnd.openxmlformats-package.relationships+xml",
        "psmdcp": "application/vnd.openxmlformats-package.core-properties+xml",
    }
    bases = [name.rsplit("/", 1)[-1] for name in names]
    extensions = sorted(
        {base.rsplit(".", 1)[1] for base in bases if re.search(r"\.\w+$", base)}
        | {"rels", "psmdcp"}
    )
    lines = [
        '  <Default Extension="%s" ContentType="%s" />\n'
        % (extension, known.get(extension, "application/octet"))
        for extension in extensions
    ]
    lines += [
        '  <Override PartName="/%s" ContentType="application/octet" />\n' % name
        for name, base in zip(names, bases)
        if not re.search(r"\.\w+$", base)
    ]
    return DECLARATION + '<Types xmlns="%s">\n%s</Types>\n' % (CONTENT_TYPES, "".join(lines))


def parts_of(nuspec, files):
    """Names and contents of all parts, in the order in which NuGet writes them."""
    told = metadata(nuspec)
    manifest = told["id"].text + ".nuspec"
    properties = (
        "package/services/metadata/core-properties/%s.psmdcp"
        % hashlib.sha256(nuspec.encode()).hexdigest()[:32]
    )
    parts = [
        (
            "_rels/.rels",
            relationships(
                [
                    (MANIFEST, manifest),
                    (
                        RELATIONSHIPS.replace(
                            "relationships", "relationships/metadata/core-properties"
                        ),
                        properties,
                    ),
                ]
            ),
        ),
        (manifest, nuspec),
    ]
    parts += sorted(files)
    parts += [
        ("[Content_Types].xml", content_types([manifest] + [name for name, _ in files])),
        (properties, core_properties(told)),
    ]
    return parts


def write(output, parts):
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as package:
        for name, data in parts:
            info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            package.writestr(info, data)


def check(path):
    """What is wrong with a package, as lists of sentences."""
    wrong = []
    with zipfile.ZipFile(path) as package:
        names = package.namelist()
        if package.testzip() is not None:
            wrong.append("a file is damaged")
        if len({name.lower() for name in names}) != len(names):
            wrong.append("two names differ by the case of their letters alone")
        types = ElementTree.fromstring(package.read("[Content_Types].xml"))
        defaults = {item.get("Extension").lower() for item in types if item.tag.endswith("Default")}
        overrides = {item.get("PartName") for item in types if item.tag.endswith("Override")}
        for name in names:
            if (
                name != "[Content_Types].xml"
                and "/" + name not in overrides
                and name.rsplit(".", 1)[-1].lower() not in defaults
            ):
                wrong.append(name + " has no content type")
        targets = {
            item.get("Target").lstrip("/")
            for item in ElementTree.fromstring(package.read("_rels/.rels"))
        }
        wrong += [
            "_rels/.rels names %s, which is missing" % target
            for target in sorted(targets - set(names))
        ]
        manifests = [name for name in names if name.endswith(".nuspec")]
        if len(manifests) != 1 or manifests[0] not in targets:
            return wrong + ["it needs one nuspec at its root, which _rels/.rels names"]
        nuspec = package.read(manifests[0]).decode("utf-8-sig")
        told = metadata(nuspec)
        symbols = "packageTypes" in told
        needed = [
            "id",
            "version",
            "authors",
            "description",
            "projectUrl",
            "copyright",
            "tags",
            "repository",
        ]
        wrong += [
            "the nuspec has no " + name
            for name in needed
            + ([] if symbols else ["license", "readme", "icon", "releaseNotes", "dependencies"])
            if name not in told
        ]
        if "readme" in told and told["readme"].text not in names:
            wrong.append("the readme %s is missing" % told["readme"].text)
        if "icon" in told and told["icon"].text not in names:
            wrong.append("the icon %s is missing" % told["icon"].text)
        if "$" in nuspec:
            wrong.append("the nuspec holds a variable that nobody put in")
        groups = (
            {group.get("targetFramework").lstrip(".").lower() for group in told["dependencies"]}
            if "dependencies" in told
            else set()
        )
        for framework in {name.split("/")[1] for name in names if name.startswith("lib/")} - (
            {"netstandard2.0", "net8.0", "net10.0"} if symbols else groups
        ):
            wrong.append("lib/%s has no group of dependencies" % framework)
    return wrong


def main():
    version, commit, source, output = sys.argv[1:5]
    with open(source, encoding="utf-8") as file:
        nuspec = file.read().replace("$version$", version).replace("$commit$", commit)
    if output.endswith(".snupkg"):
        nuspec = for_symbols(nuspec)
    files = []
    for argument in sys.argv[5:]:
        place, name = argument.split("=", 1)
        with open(place, "rb") as file:
            files.append((name, file.read()))
    write(output, parts_of(nuspec, files))
    wrong = check(output)
    if wrong:
        sys.exit("nupkg.py: %s: %s" % (output, "; ".join(wrong)))


if __name__ == "__main__":
    main()
