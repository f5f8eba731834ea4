#!/usr/bin/env python3
"""Draws the icon of the NuGet packages: two points close together, and one far away.

icon.py OUTPUT.png
"""

import struct
import sys
import zlib

SIZE = 128
BACKGROUND = (24, 38, 62)
POINTS = [(42, 84, 18, (86, 196, 170)), (66, 60, 18, (86, 196, 170)), (102, 26, 12, (240, 120, 90))]


def pixel(x, y):
    red, green, blue = BACKGROUND
    for center_x, center_y, radius, color in POINTS:
        distance = ((x + 0.5 - center_x) ** 2 + (y + 0.5 - center_y) ** 2) ** 0.5
        cover = min(1.0, max(0.0, radius + 0.5 - distance))  # a smooth edge
        red, green, blue = (
            round(old + (new - old) * cover) for old, new in zip((red, green, blue), color)
        )
    return bytes((red, green, blue))


def chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def main():
    rows = b"".join(b"\0" + b"".join(pixel(x, y) for x in range(SIZE)) for y in range(SIZE))
    with open(sys.argv[1], "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(rows, 9)))
        file.write(chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
