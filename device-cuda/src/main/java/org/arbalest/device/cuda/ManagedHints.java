// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.spi.ArrayBridge;
import org.arbalest.device.spi.ArrayStruct;

/** The placement of managed memory; see {@link Cuda}. */
final class ManagedHints {
  private static final int CPU = -1;
  private static final int RANGE_START_ADDR = 11;
  private static final int RANGE_SIZE = 12;

  private ManagedHints() {}

  static void prefetch(DeviceBuffer buffer, Device to, DeviceStream stream) {
    Gpu gpu = CudaProvider.gpu(stream.device());
    int place = place(to);
    checkShared(gpu);
    if (buffer.size() == 0) return;
    prefetch(gpu, buffer.address(), buffer.size(), place, stream);
    stream.keepAlive(buffer);
  }

  static void prefetch(DeviceArray array, Device to, DeviceStream stream) {
    Gpu gpu = CudaProvider.gpu(stream.device());
    int place = place(to);
    checkShared(gpu);
    stream.waitFor(array);
    allocations(gpu, array).forEach((address, bytes) -> prefetch(gpu, address, bytes, place, stream));
    stream.keepAlive(array);
  }

  private static void prefetch(Gpu gpu, long address, long bytes, int place, DeviceStream stream) {
    long queue = stream.handle();
    gpu.enter();
    int code = CuManaged.prefetch(address, bytes, place, queue);
    gpu.leave();
    if (code != Cu.SUCCESS) throw gpu.error(Cu.MEM_PREFETCH_ASYNC, code, what(address, bytes, place));
  }

  static void advise(DeviceBuffer buffer, MemoryAdvice advice, Device place) {
    Gpu gpu = CudaProvider.gpu(buffer.device());
    int ordinal = place(place);
    if (buffer.size() > 0) advise(gpu, buffer.address(), buffer.size(), advice, ordinal);
  }

  static void advise(DeviceArray array, MemoryAdvice advice, Device place) {
    Gpu gpu = CudaProvider.gpu(array.device());
    int ordinal = place(place);
    allocations(gpu, array).forEach((address, bytes) -> advise(gpu, address, bytes, advice, ordinal));
  }

  private static void advise(Gpu gpu, long address, long bytes, MemoryAdvice advice, int place) {
    ManagedMemory.noteAdvice(address);
    gpu.enter();
    int code = CuManaged.advise(address, bytes, advice.code(), place);
    gpu.leave();
    if (code != Cu.SUCCESS) throw gpu.error(Cu.MEM_ADVISE, code, advice + " for " + what(address, bytes, place));
  }

  private static String what(long address, long bytes, int place) {
    return bytes + " bytes at 0x" + Long.toHexString(address) + (place == CPU ? " and the CPU" : " and CUDA:" + place)
        + "; it is for managed memory";
  }

  /** Returns the ordinal of a GPU that can use managed memory together with the CPU; −1 for the CPU. */
  private static int place(Device device) {
    if (device.type().equals(DeviceType.CPU)) return CPU;
    Gpu gpu = CudaProvider.gpu(device);
    checkShared(gpu);
    return gpu.ordinal;
  }

  private static void checkShared(Gpu gpu) {
    if (Gpu.attribute(gpu.ordinal, Cu.CONCURRENT_MANAGED_ACCESS) != 0) return;
    throw new DeviceException(Errno.ENOSYS,
        gpu.name
            + " cannot use managed memory while the CPU does (concurrentManagedAccess is 0), so it does not move "
            + "memory by itself");
  }

  /** Returns the allocations that contain an array's buffers: the start and the size of each, in bytes. */
  private static Map<Long, Long> allocations(Gpu gpu, DeviceArray array) {
    Map<Long, Long> found = new TreeMap<>();
    try (DeviceArray held = array.retain()) {
      collect(gpu, ArrayBridge.struct(held), found);
    }
    return found;
  }

  private static void collect(Gpu gpu, ArrayStruct array, Map<Long, Long> found) {
    for (int i = 0; i < array.bufferCount(); i++) {
      if (array.buffer(i) != 0) add(gpu, array.buffer(i), found);
    }
    for (int i = 0; i < array.childCount(); i++) collect(gpu, array.child(i), found);
    if (array.hasDictionary()) collect(gpu, array.dictionary(), found);
  }

  /**
   * Adds the allocation that contains an address. An address that the driver does not know is in CPU memory, such as
   * the sizes of a view's buffers (DEV-01), and is skipped.
   */
  private static void add(Gpu gpu, long address, Map<Long, Long> found) {
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int start = Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), RANGE_START_ADDR, address);
    int size = start == Cu.SUCCESS ? Cu.POINTER_GET_ATTRIBUTE.call(scratch.address() + 8, RANGE_SIZE, address) : start;
    gpu.leave();
    if (start == Cu.INVALID_VALUE) return;
    if (size != Cu.SUCCESS) {
      throw gpu.error(Cu.POINTER_GET_ATTRIBUTE, size, "the allocation of 0x" + Long.toHexString(address));
    }
    found.put(scratch.get(JAVA_LONG, 0), scratch.get(JAVA_LONG, 8));
  }
}
