# SPDX-License-Identifier: Apache-2.0
"""Reads and writes Arrow files and streams with Polars."""

import polars as pl
from serve import serve, text


def read(path, kind):
    """Returns the rows of a file, which may be mapped into memory, or of a stream. The columns v and w are equal."""
    if kind == "stream":
        frame = pl.read_ipc_stream(path)
    else:
        frame = pl.read_ipc(path, memory_map=kind == "mapped")
    assert frame["v"].equals(frame["w"], null_equal=True), "the columns v and w differ"
    return frame


def rows(path, kind):
    """Returns the type of `v`, and the values of `i` and `v`, with dates and times as numbers."""
    frame = read(path, kind)
    column = frame["v"]
    if column.dtype.is_temporal():
        column = column.to_physical()
    return [str(frame["v"].dtype)] + [f"{i} {text(value)}" for i, value in zip(frame["i"].to_list(), column.to_list())]


def copy(path, kind, to, to_kind, codec, level):
    """Writes the rows of a file or stream again, in another order, so that the arrays are new."""
    frame = read(path, kind)
    frame = pl.concat([frame.slice(len(frame) // 3), frame.slice(0, len(frame) // 3).reverse()])
    compression = {"NONE": "uncompressed", "LZ4_FRAME": "lz4", "ZSTD": "zstd"}[codec]
    level = getattr(pl.CompatLevel, level)()
    if to_kind == "file":
        frame.write_ipc(to, compression=compression, compat_level=level, record_batch_size=17)
    else:
        frame.write_ipc_stream(to, compression=compression, compat_level=level)
    return []


serve(rows=rows, copy=copy)
