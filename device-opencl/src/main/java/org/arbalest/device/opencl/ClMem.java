// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/**
 * The {@code cl_mem} objects of one driver's context: those over shared virtual memory, and copies between the two
 * kinds.
 */
final class ClMem {
  /** The size of {@link #zeroes}, in bytes. */
  static final int ZEROES = 16;

  private final OpenClDriver driver;

  ClMem(OpenClDriver driver) {
    this.driver = driver;
  }

  /**
   * Creates a {@code cl_mem} whose storage is a whole allocation of shared virtual memory, or the beginning of one. The
   * caller releases it.
   *
   * @return 0 if the platform does not accept the address as the beginning of such an allocation
   */
  long over(long address, long bytes) {
    MemorySegment scratch = Cl.scratch();
    long memory =
        Cl.createBuffer(driver.context(), Cl.MEM_READ_WRITE | Cl.MEM_USE_HOST_PTR, bytes, address, scratch.address());
    int code = scratch.get(JAVA_INT, 0);
    if (memory == 0 && (code == Cl.INVALID_HOST_PTR || code == Cl.INVALID_BUFFER_SIZE)) return 0;
    if (memory == 0) throw driver.error("clCreateBuffer", code, bytes + " bytes at " + OpenClDriver.hex(address));
    if (isOverSvm(memory)) return memory;
    release(memory);
    return 0;
  }

  /**
   * Creates a part of a {@code cl_mem}. The caller releases it, and may release the whole before. The origin is a
   * multiple of the device's base alignment, in bytes.
   */
  long part(long whole, long origin, long bytes) {
    MemorySegment scratch = Cl.scratch();
    scratch.set(JAVA_LONG, 0, origin);
    scratch.set(JAVA_LONG, Long.BYTES, bytes);
    long memory = Cl.createSubBuffer(whole, Cl.MEM_READ_WRITE, scratch.address(), scratch.address() + 2 * Long.BYTES);
    int code = scratch.get(JAVA_INT, 2 * Long.BYTES);
    if (memory == 0) throw driver.error("clCreateSubBuffer", code, bytes + " bytes at " + origin);
    return memory;
  }

  /** Creates a {@code cl_mem} with its own memory. The caller releases it. */
  long create(long bytes) {
    MemorySegment scratch = Cl.scratch();
    long memory = Cl.createBuffer(driver.context(), Cl.MEM_READ_WRITE, bytes, 0, scratch.address());
    int code = scratch.get(JAVA_INT, 0);
    if (memory == 0) throw driver.error("clCreateBuffer", code, bytes + " bytes");
    return memory;
  }

  /** Creates a small {@code cl_mem} of zeroes. The caller releases it. */
  long zeroes() {
    MemorySegment scratch = Cl.scratch();
    for (long at = 0; at < ZEROES; at += Long.BYTES) scratch.set(JAVA_LONG, at, 0);
    long error = scratch.address() + ZEROES;
    long memory =
        Cl.createBuffer(driver.context(), Cl.MEM_READ_WRITE | Cl.MEM_COPY_HOST_PTR, ZEROES, scratch.address(), error);
    if (memory == 0) throw driver.error("clCreateBuffer", scratch.get(JAVA_INT, ZEROES), ZEROES + " bytes");
    return memory;
  }

  void release(long memory) {
    driver.check(Cl.releaseMemObject(memory), "clReleaseMemObject");
  }

  long size(long memory) {
    return info(memory, Cl.MEM_SIZE);
  }

  /**
   * Returns the address of the shared virtual memory that is a {@code cl_mem}'s storage; 0 if it has its own storage.
   * For a part, the method queries the whole: PoCL 3.1 does not answer for parts.
   */
  long address(long memory) {
    long whole = info(memory, Cl.MEM_ASSOCIATED_MEMOBJECT);
    long root = whole == 0 ? memory : whole;
    return isOverSvm(root) ? info(root, Cl.MEM_HOST_PTR) + info(memory, Cl.MEM_OFFSET) : 0;
  }

  /** Rejects a handle that is no {@code cl_mem} of the driver's context. */
  void check(long memory) {
    if (ClObjects.canIdentify() && !ClObjects.isMemObject(memory, driver.context())) {
      throw invalid("the buffer " + OpenClDriver.hex(memory) + " is declared as a cl_mem of " + driver.name()
          + ", but is not one");
    }
    long context = info(memory, Cl.MEM_CONTEXT);
    if (context == driver.context()) return;
    throw invalid("the cl_mem " + OpenClDriver.hex(memory) + " belongs to the context " + OpenClDriver.hex(context)
        + ", but " + driver.name()
        + " works in " + OpenClDriver.hex(driver.context()));
  }

  /** Queues a copy between two {@code cl_mem} objects, on the device. */
  void copy(long queue, long from, long fromOffset, long to, long toOffset, long bytes) {
    long event = driver.events().place();
    driver.check(Cl.enqueueCopyBuffer(queue, from, to, fromOffset, toOffset, bytes, event), "clEnqueueCopyBuffer",
        bytes);
    driver.events().placed(event);
    driver.flush(queue);
  }

  /**
   * Queues a copy from a {@code cl_mem} to an address in memory of another kind, by the address where the platform maps
   * the {@code cl_mem}.
   */
  void copyOut(long queue, long memory, long to, long bytes) {
    long mapped = map(queue, memory, Cl.MAP_READ, bytes);
    try {
      driver.copy(queue, to, mapped, bytes);
    } finally {
      unmap(queue, memory, mapped);
    }
  }

  /** Queues a copy from an address to a {@code cl_mem}, by the address where the platform maps the {@code cl_mem}. */
  void copyIn(long queue, long from, long memory, long bytes) {
    long mapped = map(queue, memory, Cl.MAP_WRITE_INVALIDATE_REGION, bytes);
    try {
      driver.copy(queue, mapped, from, bytes);
    } finally {
      unmap(queue, memory, mapped);
    }
  }

  private long map(long queue, long memory, long flags, long bytes) {
    MemorySegment scratch = Cl.scratch();
    long mapped = Cl.enqueueMapBuffer(queue, false, memory, flags, 0, bytes, scratch.address());
    int code = scratch.get(JAVA_INT, 0);
    if (code != 0) throw driver.error("clEnqueueMapBuffer", code, bytes + " bytes");
    return mapped;
  }

  private void unmap(long queue, long memory, long mapped) {
    driver.check(Cl.enqueueUnmapMemObject(queue, memory, mapped), "clEnqueueUnmapMemObject");
    driver.flush(queue);
  }

  private boolean isOverSvm(long memory) {
    MemorySegment scratch = Cl.scratch();
    int code = Cl.getMemObjectInfo(memory, Cl.MEM_USES_SVM_POINTER, Integer.BYTES, scratch.address());
    return code == 0 && scratch.get(JAVA_INT, 0) != 0;
  }

  private long info(long memory, int what) {
    MemorySegment scratch = Cl.scratch();
    driver.check(Cl.getMemObjectInfo(memory, what, Long.BYTES, scratch.address()), "clGetMemObjectInfo");
    return scratch.get(JAVA_LONG, 0);
  }

  private static DeviceException invalid(String message) {
    return new DeviceException(Errno.EINVAL, message);
  }
}
