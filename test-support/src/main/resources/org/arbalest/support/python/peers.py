# SPDX-License-Identifier: Apache-2.0
"""The libraries of the GPU check's Python step, with one form: each makes, takes and shares multiples of 3."""
import contextlib
import ctypes

LEND = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32)
NAMES = b"dltensor", b"dltensor_versioned"  # capsules keep the addresses
NEW_CAPSULE = ctypes.pythonapi.PyCapsule_New
NEW_CAPSULE.restype, NEW_CAPSULE.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Column:
    """A column of the library, as a tensor for any consumer."""

    def __init__(self, lend, device):
        self.lend, self.device, self.streams = lend, device, []

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.streams.append(stream)
        is_versioned = max_version is not None and max_version[0] >= 1
        tensor = self.lend(0 if stream is None else stream, is_versioned)
        if not tensor:
            raise BufferError("the library did not export the column")
        return NEW_CAPSULE(tensor, NAMES[is_versioned], None)

    def __dlpack_device__(self):
        return self.device


def shared(tensor, **options):
    """Returns the capsule of a tensor: of DLPack 1, unless its library is older."""
    try:
        return tensor.__dlpack__(max_version=(1, 0), **options)
    except TypeError:
        return tensor.__dlpack__(**options)


class Tensors:
    """A library of tensors: NumPy and CuPy have the same functions."""

    device = (1, 0)
    handle = None

    def __init__(self, library):
        self.library, self.version = library, library.__version__

    def working(self):
        """Makes the library's own stream current, for a block."""
        return contextlib.nullcontext()

    def take(self, column):
        return self.library.from_dlpack(column)

    def numbers(self, first, count):
        return self.library.arange(first, first + count, dtype="int64") * 3

    def is_whole(self, tensor, first, count):
        return tensor.shape == (count,) and bool((tensor == self.numbers(first, count)).all())

    def share(self, tensor, stream):
        return shared(tensor)

    def held(self):
        """Returns the bytes of the library's tensors, if it counts them."""
        return 0


class NumPy(Tensors):
    def __init__(self, gpu):
        import numpy
        super().__init__(numpy)

    def address(self, tensor):
        return tensor.ctypes.data


class PyTorch(Tensors):
    def __init__(self, gpu):
        import torch
        super().__init__(torch)
        self.place = "cpu"
        if not gpu:
            return
        if not torch.cuda.is_available():
            raise ImportError("PyTorch %s finds no GPU" % torch.__version__)
        self.device, self.place, self.stream = (2, 0), "cuda:0", torch.cuda.Stream()
        self.handle = self.stream.cuda_stream

    def working(self):
        return self.library.cuda.stream(self.stream) if self.handle else super().working()

    def numbers(self, first, count):
        return self.library.arange(first, first + count, dtype=self.library.int64, device=self.place) * 3

    def address(self, tensor):
        return tensor.data_ptr()

    def share(self, tensor, stream):
        return shared(tensor, stream=stream) if self.handle else shared(tensor)

    def held(self):
        return self.library.cuda.memory_allocated() if self.handle else 0

    def is_done(self):
        return self.stream.query()

    def wait(self):
        self.stream.synchronize()


class CuPy(Tensors):
    def __init__(self, gpu):
        if not gpu:
            raise ImportError("CuPy needs a GPU")
        import cupy
        super().__init__(cupy)
        self.device, self.stream = (2, 0), cupy.cuda.Stream(non_blocking=True)
        self.handle = self.stream.ptr

    def working(self):
        return self.stream

    def address(self, tensor):
        return tensor.data.ptr

    def share(self, tensor, stream):
        return shared(tensor, stream=stream)

    def held(self):
        return self.library.get_default_memory_pool().used_bytes()

    def is_done(self):
        return self.stream.done

    def wait(self):
        self.stream.synchronize()


class Pylibcudf:
    """cuDF's own Python, which exchanges batches through the C device interface."""

    def __init__(self, gpu):
        if not gpu:
            raise ImportError("pylibcudf needs a GPU")
        import pylibcudf
        self.library, self.version = pylibcudf, pylibcudf.__version__
        if not hasattr(pylibcudf.Table, "from_arrow") or not hasattr(pylibcudf.Table, "__arrow_c_device_array__"):
            raise ImportError("pylibcudf %s does not exchange device arrays: 25.8 or newer does" % self.version)

    def twice(self, schema, array):
        """Takes a batch, and returns a table that cuDF made with its rows twice."""
        class Batch:
            def __arrow_c_device_array__(self, requested_schema=None, **others):
                return schema, array

        table = self.library.Table.from_arrow(Batch())
        return self.library.concatenate.concatenate([table, table])

    def share(self, table):
        """Returns the capsules of `to_arrow_schema` and `to_arrow_device`."""
        return table.__arrow_c_device_array__()


def find(name, gpu):
    """Returns a library, and an empty text; or None and the reason why it cannot be used."""
    try:
        return globals()[name](gpu), ""
    except Exception as e:
        return None, "%s: %s" % (type(e).__name__, e)
