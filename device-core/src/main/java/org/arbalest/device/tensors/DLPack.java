// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.tensors;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.tensor.TensorExport;
import org.arbalest.device.internal.tensor.TensorImport;
import org.arbalest.device.types.Extension;

/**
 * Arrays as tensors of <a href="https://dmlc.github.io/dlpack/latest/">DLPack</a>, by which Python's libraries and
 * others lend each other numbers without a copy, on the CPU and on GPUs. Of the two forms of the C struct, a consumer
 * says which it wants.
 *
 * <p><b>Which arrays.</b> Columns of integers, floats and {@link Extension.Bool8} without nulls, of one dimension;
 * lists of a fixed size of them, and {@link Extension.FixedShapeTensor}, of more: rows are the first dimension. Other
 * types, bool among them, and nulls are refused. A column of a record batch is {@link DeviceArray#retainChild}. A
 * tensor that comes in is a column without a name of the same types, of {@code FixedShapeTensor} if it has two
 * dimensions or more.
 *
 * <p><b>Where.</b> Main memory, pinned and managed memory, CUDA and ROCm GPUs, and what other backends serve; its
 * address is the first element's. For OpenCL, DLPack means {@code cl_mem} handles, which arrays have not: refused, both
 * ways. The number of a device is ours, or 0 where DLPack has none: main memory, pinned and managed memory.
 *
 * <p><b>Who releases what.</b> A tensor is held by whoever calls its deleter, once, on any thread: the consumer's
 * framework, or {@link #delete} if nobody took it. An import calls it when the last handle of the array was closed and
 * C has released every export.
 *
 * <p><b>Streams.</b> A tensor has no event: whoever makes it orders the consumer's stream behind the content. So an
 * export is given the stream that the consumer works in (the {@code stream} of Python's {@code __dlpack__}, by
 * {@link Device#wrapStream}), and an import the one that was told to the producer.
 */
public enum DLPack {
  /**
   * {@code DLManagedTensorVersioned}, of DLPack 1: what a consumer wants that knows {@code max_version}; its capsule is
   * called {@code dltensor_versioned}. Exports are of version 1.0.
   */
  VERSIONED,

  /**
   * {@code DLManagedTensor}, which older consumers want; its capsule is called {@code dltensor}. It cannot say that it
   * is read-only: who takes one of an export and writes to it changes the array for all its holders.
   */
  UNVERSIONED;

  /**
   * Hands an array to C as a tensor, without a copy, read-only, when its content is there: waits as
   * {@link DeviceArray#synchronize} does. The array's handle is consumed; {@link DeviceArray#retain} first to keep one.
   * On failure it is not. The memory is given back when the deleter is called: work of the consumer's that is queued on
   * a device is over by then.
   *
   * @return the struct, which the deleter frees
   * @throws IllegalArgumentException if the array's type is none that a tensor has; names the path and the type
   * @throws DeviceException with {@code EINVAL} if it has nulls: the path, and how many; {@code ENOSYS} if only a
   *     bitmap that the CPU cannot read says whether there are nulls
   */
  public MemorySegment exportTensor(DeviceArray array) {
    return TensorExport.export(this, DeviceArrayImpl.unwrap(Objects.requireNonNull(array, "array")), null);
  }

  /**
   * The same for a consumer that works in a stream, which is made to wait for the content; this call does not, unless
   * the array is in main memory, which is read by whom no stream holds up. The memory is kept until what is in the
   * stream when the deleter is called is done, so that a consumer may let go of a tensor that its queued work still
   * reads. So the consumer's own stream must live until then, whoever closes {@code consumer}.
   */
  public MemorySegment exportTensor(DeviceArray array, DeviceStream consumer) {
    Objects.requireNonNull(consumer, "consumer");
    return TensorExport.export(this, DeviceArrayImpl.unwrap(Objects.requireNonNull(array, "array")),
        DeviceStreamImpl.unwrap(consumer));
  }

  /**
   * Hands a copy of an array to C, which the consumer alone has, and may write to. The array's handle stays as it is.
   *
   * @param target where to
   * @param consumer the stream that the consumer works in, which makes the copy; see {@link
   *     DeviceArray#copyTo(MemoryManager, DeviceStream)}
   * @return the struct, which the deleter frees
   * @throws IllegalArgumentException as {@link #exportTensor(DeviceArray)} does, and {@code copyTo}
   * @throws DeviceException as these do
   */
  public MemorySegment exportCopy(DeviceArray array, MemoryManager target, DeviceStream consumer) {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(consumer, "consumer");
    return TensorExport.exportCopy(this, DeviceArrayImpl.unwrap(Objects.requireNonNull(array, "array")), target,
        DeviceStreamImpl.unwrap(consumer));
  }

  /**
   * Takes in a tensor from C, without a copy. Its content is there, as in main memory, or when the producer was told
   * that nobody's stream needs to wait. If this fails, the deleter was called, but for an argument that can be no
   * struct, since it is NULL, too small, misaligned or not this thread's. An array does not change: who still writes to
   * a tensor that is not read-only breaks that promise.
   *
   * @param tensor a live struct of this form; the capsule's, if there is one, is marked as used by the caller
   * @throws DeviceException with {@code EINVAL} if it is of another major version, of a type that Arrow has not,
   *     malformed, or if its elements do not lie side by side ({@link #importCopy}); dimensions within a row may be
   *     stored in any order
   */
  public DeviceArray importTensor(MemorySegment tensor) {
    return TensorImport.take(this, Objects.requireNonNull(tensor, "tensor"), null);
  }

  /**
   * The same, of a tensor whose content is there when all that is in a stream now is done, as the producer was told:
   * the array has an event.
   *
   * @throws IllegalArgumentException if the stream is of a device that knows nothing of the tensor's
   */
  public DeviceArray importTensor(MemorySegment tensor, DeviceStream stream) {
    Objects.requireNonNull(stream, "stream");
    return TensorImport.take(this, Objects.requireNonNull(tensor, "tensor"), DeviceStreamImpl.unwrap(stream));
  }

  /**
   * Takes in a tensor from C by a copy in main memory, however its elements lie, and calls its deleter. Its content is
   * there; see {@link
   * #importTensor(MemorySegment)}.
   *
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot read it
   */
  public DeviceArray importCopy(MemorySegment tensor) {
    return TensorImport.copy(this, Objects.requireNonNull(tensor, "tensor"));
  }

  /** Gives back a tensor that nobody took: calls its deleter, if it has one, as a capsule's destructor does. */
  public void delete(MemorySegment tensor) {
    TensorImport.delete(this, Objects.requireNonNull(tensor, "tensor"));
  }
}
