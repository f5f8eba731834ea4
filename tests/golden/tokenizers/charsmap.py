"""SentencePiece's compiled map of characters, made from a dictionary."""

import struct


def charsmap(entries):
    """SentencePiece's compiled form of a map of characters: a double-array trie and the texts that
    its values point to."""
    root, replacements, places = {}, b"", {}
    for key, value in sorted(entries.items()):
        if value not in places:
            places[value] = len(replacements)
            replacements += value.encode() + b"\0"
        node = root
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[0] = places[value]
    units, queue, taken, bases = {}, [(0, 0, root)], {0}, set()
    while queue:
        at, label, node = queue.pop(0)
        base = next(
            b
            for b in range(1, 1 << 20)
            if b not in bases and all(b ^ child not in taken for child in node)
        )
        bases.add(base)
        taken.update(base ^ child for child in node)
        units[at] = (base ^ at) << 10 | (0 in node) << 8 | label
        for child, below in node.items():
            if child == 0:
                units[base] = below | 1 << 31
            else:
                queue.append((base ^ child, child, below))
    trie = b"".join(
        struct.pack("<I", units.get(i, 0)) for i in range(max(taken) // 256 * 256 + 256)
    )
    return struct.pack("<I", len(trie)) + trie + replacements
