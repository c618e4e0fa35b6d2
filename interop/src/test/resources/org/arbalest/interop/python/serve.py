# SPDX-License-Identifier: Apache-2.0
"""Answers requests of one line each, until the input ends. Words of requests and answers are separated by tabs."""

import decimal
import struct
import faulthandler
import sys


def serve(**functions):
    faulthandler.enable()
    for line in sys.stdin:
        name, *words = line.rstrip("\n").split("\t")
        try:
            answer = ["done", *functions[name](*words)]
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as e:  # a panic in Rust is no Exception
            answer = ["failed", " ".join(f"{type(e).__name__}: {e}".split())]
        print("\t".join(answer), flush=True)


def text(value):
    """Returns a text that no other value has, as `Texts.of` does in Kotlin."""
    if value is None or isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, float):
        return struct.pack(">d", value).hex()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        return "bytes " + value.hex()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(text(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple) and len(value) == 2:  # an entry of a map
        return text(dict(zip(("key", "value"), value)))
    if isinstance(value, tuple) and len(value) == 3:  # months, days, nanoseconds
        return "interval" + "".join(f" {part}" for part in value)
    raise TypeError(f"no text for {value!r} of {type(value)}")
