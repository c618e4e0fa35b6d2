# SPDX-License-Identifier: Apache-2.0
"""Reads and writes Arrow files and streams with pyarrow."""

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
from serve import serve, text

# pyarrow has no class for arrays of these types.
NO_ARRAYS = ("month_interval", "day_time_interval")


def read(path, kind):
    """Returns the schema and the batches of a file or stream. The batches are validated, with their metadata."""
    with pa.memory_map(path) as source:
        if kind == "file":
            with pa.ipc.open_file(source) as reader:
                schema, footer = reader.schema, reader.metadata
                batches = [reader.get_batch_with_custom_metadata(i) for i in range(reader.num_record_batches)]
        else:
            with pa.ipc.open_stream(source) as reader:
                schema, footer = reader.schema, None
                batches = list(reader.iter_batches_with_custom_metadata())
    for batch, _ in batches:
        batch.validate(full=True)
    return schema, footer, batches


def create(path, kind, schema, codec="NONE", version="V5", footer=None, **options):
    """Opens a writer."""
    compression = None if codec == "NONE" else codec.removesuffix("_FRAME").lower()
    version = pa.ipc.MetadataVersion[version]
    options = pa.ipc.IpcWriteOptions(compression=compression, metadata_version=version, **options)
    if kind == "file":
        return pa.ipc.new_file(path, schema, options=options, metadata=footer)
    return pa.ipc.new_stream(path, schema, options=options)


def numbers(column):
    """Returns dates, times, timestamps and durations as numbers."""
    type = column.type
    if pa.types.is_temporal(type) and not pa.types.is_interval(type):
        return column.view(pa.int64() if type.bit_width == 64 else pa.int32())
    return column


def values(column):
    return numbers(column).to_pylist()


def changed(table, how):
    """Returns a table with the same rows, in another order if `how` is "taken"."""
    if how == "combined":
        return table.combine_chunks()
    if how == "taken":
        return table.take(pa.array(range(len(table) - 1, -1, -1), pa.int64()))
    if how == "built":  # from values of Python
        def built(chunk):
            return pa.array(values(chunk), numbers(chunk).type).view(chunk.type)
        return pa.table([pa.chunked_array([built(chunk) for chunk in column.chunks], column.type)
                         for column in table.columns], table.schema)
    raise ValueError(how)


def rows(path, kind):
    """Returns the type of `v`, and the values of `i` and `v`. Fails if the columns `v` and `w` differ."""
    schema, _, batches = read(path, kind)
    for batch, _ in batches:
        v, w = (batch.select([name]).rename_columns([""]) for name in ("v", "w"))
        assert v.equals(w), "the columns v and w differ"
    name = str(schema.field("v").type)
    if name in NO_ARRAYS:
        return [name, "no values"]
    return [name] + [
        f"{i} {text(value)}"
        for batch, _ in batches
        for i, value in zip(batch.column("i").to_pylist(), values(batch.column("v")))]


def metadata(path, kind):
    """Returns the metadata of the schema, of its first field, of the footer, and of each batch."""
    schema, footer, batches = read(path, kind)
    found = [schema.metadata, schema.field(0).metadata, footer] + [metadata for _, metadata in batches]
    return [text({key.decode(): value.decode() for key, value in (m or {}).items()}) for m in found]


def copy(path, kind, to, to_kind, codec, version):
    """Writes the batches of a file or stream again."""
    schema, footer, batches = read(path, kind)
    with create(to, to_kind, schema, codec, version, footer) as writer:
        for batch, metadata in batches:
            if len(batch) or codec == "NONE" or "union" not in str(schema):  # otherwise pyarrow 25 crashes
                writer.write_batch(batch, custom_metadata=metadata)
    return []


def convert(path, kind, to, to_kind, codec, version, how, dictionaries):
    """Makes new arrays from those of a file or stream, and writes them."""
    schema, _, batches = read(path, kind)
    table = changed(pa.Table.from_batches([batch for batch, _ in batches], schema), how)
    options = {"replaced": {}, "deltas": {"emit_dictionary_deltas": True}, "unified": {"unify_dictionaries": True}}
    with create(to, to_kind, schema, codec, version, **options[dictionaries]) as writer:
        writer.write_table(table, max_chunksize=17)
    return []


def numbered(path, kind, codec, legacy):
    """Writes two batches of 100,000 rows with their numbers, as texts too. Half of the numbers are null."""
    def batch(start):
        numbers = range(start, start + 100_000)
        nulls = pa.array([number if number % 2 else None for number in numbers], pa.int64())
        return pa.record_batch({"number": nulls, "text": [f"text of row {number}" for number in numbers]})
    with create(path, kind, batch(0).schema, codec, "V4", use_legacy_format=legacy == "legacy") as writer:
        writer.write_batch(batch(0))
        writer.write_batch(batch(100_000))
    return []


def feather(path, codec):
    """Writes 10 rows by the Feather API."""
    pa.feather.write_feather(pa.table({"number": range(10)}), path, compression=codec.removesuffix("_FRAME").lower())
    return []


def crash(path):
    """Writes compressed a batch without rows that has a union and was read from a file or stream."""
    _, _, [(batch, _)] = read(path, "stream")
    with create(path + ".new", "stream", batch.schema, "ZSTD") as writer:
        writer.write_batch(batch)
    return []


serve(rows=rows, metadata=metadata, copy=copy, convert=convert, numbered=numbered, feather=feather, crash=crash)
