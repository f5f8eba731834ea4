#!/usr/bin/env python3
"""What a library or program needs of its system: imports.py PLATFORM FILE...

Reads ELF, PE and Mach-O files, and fails if one imports a library that the platform's users may not
have (so ICU and zlib are inside), exports anything but its own functions, is larger than 9 MB, or,
on macOS, needs a newer system than packaging/cmake/zig.cmake names.
"""

import pathlib
import re
import struct
import sys

LARGEST = 9_000_000  # bytes
NEWEST_MACOS = (12, 0)
SYSTEM_LIBRARIES = {
    "win-x64": r"(?i)kernel32\.dll|ntdll\.dll|ws2_32\.dll|mswsock\.dll|advapi32\.dll|shell32\.dll"
    r"|psapi\.dll|bcrypt\.dll|api-ms-win-(crt|core)-[a-z0-9-]+\.dll",
    "linux-musl-x64": r"libc\.so",
    "linux-musl-arm64": r"libc\.so",
    "osx-x64": r"/usr/lib/libSystem\.B\.dylib",
    "osx-arm64": r"/usr/lib/libSystem\.B\.dylib",
}
EXPORTS = {  # of the library and of the native halves of the bindings
    "": r"cs_|CONTRASTIVE_",
    "java": r"Java_io_contrastive_|JNI_OnLoad$",
    "csharp": r"CSharp_",
}
# The linker for macOS has no list of exports: it adds two names of its own, and the C++ run time's
# operators new and delete, which are weak.
EXPORTS_OF_MACOS = r"|_mh_dylib_header$|__dso_handle$|_Z(na|nw|da|dl)[mP]"
OWN = r"libcontrastive\.so\.0|contrastive\.dll|@rpath/libcontrastive\.0\.dylib"


class File:
    """What a binary imports and exports."""

    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        self.imports, self.exports = [], []
        # Of macOS: the least version, the library's own name, where it looks for others, whether it
        # is signed. arm64 starts nothing without a signature.
        self.least_system, self.own_name, self.paths, self.is_signed = None, None, [], False
        if self.data[:4] == b"\x7fELF":
            self._read_elf()
        elif self.data[:2] == b"MZ":
            self._read_pe()
        elif self.data[:4] == b"\xcf\xfa\xed\xfe":
            self._read_macho()
        else:
            raise SystemExit(f"{path}: neither ELF, PE nor Mach-O")

    def _at(self, layout, offset):
        return struct.unpack_from("<" + layout, self.data, offset)

    def _text(self, offset):
        return self.data[offset : self.data.index(b"\0", offset)].decode()

    def _read_elf(self):
        (table,) = self._at("Q", 0x28)
        size, count = self._at("HH", 0x3A)
        sections = [self._at("IIQQQQIIQQ", table + i * size) for i in range(count)]
        for section in sections:
            kind, offset, length = section[1], section[4], section[5]
            texts = sections[section[6]][4] if section[6] < count else 0
            if kind == 6:  # SHT_DYNAMIC
                for entry in range(offset, offset + length, 16):
                    tag, value = self._at("QQ", entry)
                    if tag == 1:  # DT_NEEDED
                        self.imports.append(self._text(texts + value))
            elif kind == 11:  # SHT_DYNSYM
                for entry in range(offset + 24, offset + length, 24):
                    name, info, _, where = self._at("IBBH", entry)
                    if where != 0 and info >> 4 != 0:
                        self.exports.append(self._text(texts + name))

    def _read_pe(self):
        (head,) = self._at("I", 0x3C)
        (count,) = self._at("H", head + 6)
        (optional,) = self._at("H", head + 20)
        sections = [self._at("8sIIII", head + 24 + optional + 40 * i) for i in range(count)]

        def place(address):
            for _, size, virtual, raw_size, raw in sections:
                if virtual <= address < virtual + max(size, raw_size):
                    return raw + address - virtual
            raise SystemExit(f"address {address:#x} lies in no section")

        exports, _, imports, _ = self._at("4I", head + 24 + 112)
        if exports:
            (names,) = self._at("I", place(exports) + 24)
            (pointers,) = self._at("I", place(exports) + 32)
            for i in range(names):
                self.exports.append(self._text(place(self._at("I", place(pointers) + 4 * i)[0])))
        entry = place(imports)
        while self._at("5I", entry) != (0, 0, 0, 0, 0):
            self.imports.append(self._text(place(self._at("I", entry + 12)[0])))
            entry += 20

    def _read_macho(self):
        (count,) = self._at("I", 16)
        command = 32
        for _ in range(count):
            kind, size = self._at("II", command)
            if kind in (0xC, 0x80000018):  # LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB
                self.imports.append(self._text(command + self._at("I", command + 8)[0]))
            elif kind == 0xD:  # LC_ID_DYLIB
                self.own_name = self._text(command + self._at("I", command + 8)[0])
            elif kind == 0x8000001C:  # LC_RPATH
                self.paths.append(self._text(command + self._at("I", command + 8)[0]))
            elif kind == 0x1D:  # LC_CODE_SIGNATURE
                self.is_signed = True
            elif kind == 0x32:  # LC_BUILD_VERSION
                (version,) = self._at("I", command + 12)
                self.least_system = version >> 16, version >> 8 & 255
            elif kind == 2:  # LC_SYMTAB
                symbols, number, texts = self._at("III", command + 8)
                for symbol in range(symbols, symbols + 16 * number, 16):
                    name, how, _, _, _ = self._at("IBBHQ", symbol)
                    external = how & 1 and not how & 0x10  # N_EXT, not N_PEXT
                    if external and how & 0xE and not how & 0xE0:  # defined, no stab
                        self.exports.append(self._text(texts + name).removeprefix("_"))
            command += size


def complaints(platform, path):
    file = File(path)
    half = re.search(r"contrastive_(java|csharp)\.(?:so|dylib|dll)$", path)
    is_program = not re.search(r"\.(dll|dylib)$|\.so(\.|$)", path)
    for name in file.imports:
        if not re.fullmatch(SYSTEM_LIBRARIES[platform], name) and not re.fullmatch(OWN, name):
            yield f"needs {name}"
    if not is_program:
        own = EXPORTS[half[1] if half else ""]
        own += EXPORTS_OF_MACOS if platform.startswith("osx") else ""
        strange = [name for name in file.exports if not re.match(own, name)]
        if strange:
            yield f"exports {len(strange)} names beside {own}: {', '.join(strange[:5])}"
    if half and len(file.exports) < 50:
        yield f"exports {len(file.exports)} functions only"
    if not half and not is_program:
        header = pathlib.Path(__file__).parents[2] / "capi/include/contrastive/contrastive.h"
        declared = set(re.findall(r"^CS_API [^;(]*?\b(cs_\w+)\(", header.read_text(), re.M))
        missing = declared - set(file.exports)
        if missing or not declared:
            yield f"does not export {', '.join(sorted(missing))}"
    if len(file.data) > LARGEST:
        yield f"has {len(file.data)} bytes, more than {LARGEST}"
    if platform.startswith("osx"):
        if (file.least_system or (99, 0)) > NEWEST_MACOS:
            yield f"needs macOS {file.least_system}"
        if not file.is_signed and platform == "osx-arm64":
            yield "is not signed"
        if not is_program and not half and not re.fullmatch(OWN, file.own_name or ""):
            yield f"calls itself {file.own_name}"
        strange = [place for place in file.paths if not place.startswith("@loader_path")]
        if strange:
            yield f"looks for libraries in {' '.join(strange)}"
    print(
        f"{path}: {len(file.data)} bytes, {len(file.exports)} exports, "
        f"needs {' '.join(sorted(file.imports)) or 'nothing'}"
    )


def main():
    platform, *paths = sys.argv[1:]
    found = [f"{path}: {complaint}" for path in paths for complaint in complaints(platform, path)]
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
