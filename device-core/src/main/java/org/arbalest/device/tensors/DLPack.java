// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.tensors;

import com.google.errorprone.annotations.CheckReturnValue;
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
 * Converts arrays to tensors of <a href="https://dmlc.github.io/dlpack/latest/">DLPack</a>, and tensors to arrays.
 * Python libraries and others use DLPack to share numbers without a copy, on the CPU and on GPUs. The C struct has two
 * forms, which are the constants of this enum; the consumer says which form it wants.
 *
 * <p><b>Array types.</b> A tensor of one dimension corresponds to a column of integers, floats or
 * {@link Extension.Bool8}. A tensor of more dimensions corresponds to a fixed-size list of these types, or to a
 * {@link Extension.FixedShapeTensor}; its first dimension is the rows. Other types, including bool, and arrays with
 * nulls are unsupported. To export a column of a record batch, call {@link DeviceArray#retainChild}. An imported tensor
 * becomes a column without a name, of the same types; with two or more dimensions its type is {@code FixedShapeTensor}.
 *
 * <p><b>Memory.</b> Supported are main memory, pinned and managed memory, CUDA and ROCm GPUs, and the devices of other
 * backends. The tensor's address is the address of the first element. For OpenCL, DLPack requires {@code cl_mem}
 * handles, which arrays do not have; so exports and imports of OpenCL memory fail. The device id of a tensor is
 * Arbalest's device id. For main memory, pinned memory and managed memory it is 0, because DLPack has no id for them.
 *
 * <p><b>Ownership.</b> The owner of a tensor calls its deleter once, on any thread. The owner is the consumer's
 * framework, or the caller of {@link #delete} if no consumer took the tensor. An imported tensor's deleter runs after
 * the last handle of the array is closed and native code has released every export of it.
 *
 * <p><b>Streams.</b> A tensor has no event. Its producer must therefore make the consumer's stream wait for the
 * content. An export takes the stream in which the consumer works, the {@code stream} argument of Python's
 * {@code __dlpack__}; {@link Device#wrapStream} wraps it. An import takes the stream that the caller gave to the
 * producer, or none if the caller gave none.
 */
@CheckReturnValue
public enum DLPack {
  /**
   * {@code DLManagedTensorVersioned} of DLPack 1, for consumers that pass {@code max_version}. Its capsule has the name
   * {@code dltensor_versioned}. Exports have version 1.0.
   */
  VERSIONED,

  /**
   * {@code DLManagedTensor}, for older consumers. Its capsule has the name {@code dltensor}. This form has no read-only
   * flag: a consumer that writes to an exported tensor changes the array for all its users.
   */
  UNVERSIONED;

  /**
   * Exports an array as a read-only tensor, without a copy. Waits until the content is ready, as
   * {@link DeviceArray#synchronize} does.
   *
   * <p><b>Ownership.</b> The array's handle is consumed, except when this method fails; to keep a handle, the caller
   * calls {@link DeviceArray#retain} first. A call of the deleter releases the memory. The consumer's queued work on a
   * device must have finished by then.
   *
   * @return the struct; its deleter frees it
   * @throws IllegalArgumentException if a tensor cannot have the array's type; the message has the path and the type
   * @throws DeviceException with {@code EINVAL} if the array has nulls; the message has the path and the number of
   *     nulls. With {@code ENOSYS} if the number of nulls is unknown and the CPU cannot read the validity bitmap
   */
  public MemorySegment exportTensor(DeviceArray array) {
    return TensorExport.export(this, DeviceArrayImpl.unwrap(Objects.requireNonNull(array, "array")), null);
  }

  /**
   * Exports an array as a read-only tensor for a consumer that works in a stream. Makes that stream wait for the
   * content, and returns without waiting. Exception: for an array in main memory this method waits itself, because no
   * stream can delay code that reads main memory.
   *
   * <p><b>Ownership.</b> As with {@link #exportTensor(DeviceArray)}, except for the release of the memory. When the
   * deleter is called, the library keeps the memory until the work that is then in the stream has finished. The
   * consumer may thus delete a tensor that its queued work still reads, as with
   * {@link org.arbalest.device.c.CExport#consumerStream}. Its own stream must stay valid until then, also if
   * {@code consumer} is closed before.
   */
  public MemorySegment exportTensor(DeviceArray array, DeviceStream consumer) {
    Objects.requireNonNull(consumer, "consumer");
    return TensorExport.export(this, DeviceArrayImpl.unwrap(Objects.requireNonNull(array, "array")),
        DeviceStreamImpl.unwrap(consumer));
  }

  /**
   * Exports a copy of an array as a tensor. The consumer is its only owner and may write to it. The array's handle is
   * unchanged.
   *
   * @param target the memory manager that allocates the copy
   * @param consumer the stream in which the consumer works; it makes the copy, see
   *     {@link DeviceArray#copyTo(MemoryManager, DeviceStream)}
   * @return the struct; its deleter frees it
   * @throws IllegalArgumentException in the cases of {@link #exportTensor(DeviceArray)} and of {@code copyTo}
   * @throws DeviceException in the cases of these methods
   */
  public MemorySegment exportCopy(DeviceArray array, MemoryManager target, DeviceStream consumer) {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(consumer, "consumer");
    return TensorExport.exportCopy(this, DeviceArrayImpl.unwrap(Objects.requireNonNull(array, "array")), target,
        DeviceStreamImpl.unwrap(consumer));
  }

  /**
   * Imports a tensor without a copy, for which the caller gave no stream to the producer: {@code None} in Python's
   * {@code __dlpack__}. On CUDA and ROCm, the content is then ready in the default stream, on CUDA the legacy one. The
   * array has an event for the work that is now in this stream (DLP-15). In main memory the content is ready. If the
   * caller asked the producer for no order (−1), the content must be ready.
   *
   * <p><b>Ownership.</b> The array owns the tensor. If the import fails, it calls the deleter. It does not if the
   * argument cannot be a struct because it is NULL, too small, misaligned or belongs to another thread. An array is
   * immutable, so no code may write to the tensor from now on, even if the tensor is not read-only.
   *
   * @param tensor a live struct of this form. If it comes from a capsule, the caller marks the capsule as used
   * @throws DeviceException with {@code EINVAL} if the tensor is malformed, has another major version, or has a type
   *     that Arrow does not have. Also if its elements are not contiguous, row by row; in this case use
   *     {@link #importCopy}. The dimensions within a row may be stored in any order
   */
  public DeviceArray importTensor(MemorySegment tensor) {
    return TensorImport.take(this, Objects.requireNonNull(tensor, "tensor"), null);
  }

  /**
   * Imports a tensor whose content is ready after the work that is now in a stream. The array has an event for this
   * work. The caller must have given the same stream to the producer. The rest is as in
   * {@link #importTensor(MemorySegment)}.
   *
   * @throws IllegalArgumentException if neither the stream's device nor the tensor's device can access the other
   */
  public DeviceArray importTensor(MemorySegment tensor, DeviceStream stream) {
    Objects.requireNonNull(stream, "stream");
    return TensorImport.take(this, Objects.requireNonNull(tensor, "tensor"), DeviceStreamImpl.unwrap(stream));
  }

  /**
   * Imports a tensor as a copy in main memory and calls its deleter. The elements may have any strides. For managed
   * memory, waits for the stream of {@link #importTensor(MemorySegment)}; otherwise the content must be ready.
   *
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot read the tensor
   */
  public DeviceArray importCopy(MemorySegment tensor) {
    return TensorImport.copy(this, Objects.requireNonNull(tensor, "tensor"));
  }

  /** Deletes a tensor that no consumer took: calls its deleter, if it has one, as a capsule's destructor does. */
  public void delete(MemorySegment tensor) {
    TensorImport.delete(this, Objects.requireNonNull(tensor, "tensor"));
  }
}
