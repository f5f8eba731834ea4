"""check_shards.py FORMAT JSONL FILE: pyarrow reads in FILE (arrow or parquet) the rows of the same
shard in JSON lines, under the contract's schema, with the metadata of JSONL's receipt. With --spoil
in the place of JSONL it writes FILE again without its last column."""

import json
import os
import sys

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

form, lines, path = sys.argv[1:]


def read():
    if form == "parquet":
        return pa.parquet.read_table(path)
    with pa.OSFile(path) as file:
        return pa.ipc.open_file(file).read_all()


if lines == "--spoil":
    table = read().drop_columns(["truncated"])
    if form == "parquet":
        pa.parquet.write_table(table, path)
    else:
        with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    sys.exit()

with open(lines) as file:
    rows = [json.loads(line) for line in file]
folder, name = os.path.split(lines)
with open(os.path.join(folder, "_" + name.replace(".jsonl", ".json"))) as file:
    metadata = json.load(file)["metadata"]
dimension = int(metadata["dimension"])
table = read()
table.validate(full=True)

text_ids = bool(rows) and isinstance(rows[0]["id"], str)
wanted = pa.schema(
    [
        pa.field("id", pa.string() if text_ids else pa.int64(), False),
        pa.field("text_hash", pa.string(), False),
        pa.field("embedding", pa.list_(pa.field("item", pa.float32(), False), dimension), False),
        pa.field("n_tokens", pa.int32(), False),
        pa.field("truncated", pa.bool_(), False),
    ]
)
assert table.schema.equals(wanted), table.schema
found = {
    key.decode(): value.decode()
    for key, value in table.schema.metadata.items()
    if key.startswith(b"contrastive.")
}
assert found == {"contrastive." + key: value for key, value in metadata.items()}, (found, metadata)
for row in rows:
    row["embedding"] = pa.array(row["embedding"], pa.float32()).to_pylist()  # the nearest floats
assert table.to_pylist() == rows, "the rows differ"
if form == "parquet":  # what a reader finds that knows no Arrow
    file = pa.parquet.ParquetFile(path)
    assert file.metadata.metadata[b"contrastive.dimension"] == metadata["dimension"].encode()
    assert (
        file.schema.column(2).path == "embedding.list.element"
        and file.schema.column(2).physical_type == "FLOAT"
    ), file.schema
