// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.spi.Completion;
import org.arbalest.device.spi.CopyBatch;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.HostMemory;
import org.jspecify.annotations.Nullable;

/**
 * One OpenCL device, in its own context, which lives as long as the process.
 *
 * <p>Memory is coarse-grained shared virtual memory. On a device without that, it is unified shared memory of the
 * device's kind. Host memory is fine-grained shared virtual memory, or otherwise unified memory of the host's kind, if
 * the device has one of them.
 *
 * <p>Queued work is flushed at once: it is possible that no later wait flushes it.
 */
final class OpenClDriver implements DeviceDriver {
  /** The size of OpenCL C's largest type, in bytes: the largest alignment of OpenCL's memory. */
  static final long LARGEST_ALIGNMENT = 128;

  private final String name;
  private final ClDevice device;
  private final long context;
  private final MemoryAllocator memory;
  private final @Nullable HostMemory hostMemory;
  private final ClEvents events;
  private final SvmBlocks blocks = new SvmBlocks();

  /** A queue only for mapping, for which OpenCL needs a queue. */
  private final long mappingQueue;

  /** The first word of the platform's events. */
  private final long firstOfEvent;

  private OpenClDriver(ClDevice device, String name, long context) {
    this.device = device;
    this.name = name;
    this.context = context;
    MemoryAllocator unified = unified(UnifiedMemory.DEVICE);
    this.memory = device.hasSvm() || unified == null ? new SvmMemory(this, Cl.MEM_READ_WRITE) : unified;
    long fine = Cl.MEM_READ_WRITE | Cl.MEM_SVM_FINE_GRAIN_BUFFER;
    MemoryAllocator host = device.isFineGrained() ? new SvmMemory(this, fine) : unified(UnifiedMemory.HOST);
    this.hostMemory = host == null ? null : new HostMemory(DeviceType.OPENCL, host);
    this.events = new ClEvents(this, device.isPocl());
    this.mappingQueue = createQueue();
    this.firstOfEvent = firstOfEvent();
  }

  /** Returns unified memory of a kind; null if the device does not have it. */
  @Nullable
  MemoryAllocator unified(UnifiedMemory kind) {
    Usm usm = device.usm();
    return usm != null && usm.has(kind) ? new UsmMemory(this, usm, kind) : null;
  }

  private long firstOfEvent() {
    long event = record(mappingQueue);
    try {
      return ClObjects.word(event);
    } finally {
      destroyEvent(event);
    }
  }

  static OpenClDriver open(ClDevice device, String name) {
    MemorySegment scratch = Cl.scratch();
    scratch.set(JAVA_LONG, 0, device.id());
    long context = Cl.createContext(1, scratch.address(), scratch.address() + Long.BYTES);
    int code = scratch.get(JAVA_INT, Long.BYTES);
    if (context == 0 || code != 0) throw ClErrors.exception("clCreateContext on " + name, code, "");
    return new OpenClDriver(device, name, context);
  }

  ClDevice device() {
    return device;
  }

  /** Returns the {@code cl_context}. */
  long context() {
    return context;
  }

  String name() {
    return name;
  }

  SvmBlocks blocks() {
    return blocks;
  }

  ClEvents events() {
    return events;
  }

  /**
   * Rejects a size that is larger than the device's largest allocation: some runtimes lose memory and do not reject it.
   */
  void checkSize(String function, long bytes) {
    long largest = device.largestAllocation();
    if (bytes <= largest) return;
    throw new DeviceException(
        Errno.ENOMEM,
        function + " on " + name + " was not called: asked for " + bytes + " bytes, but the largest allocation is "
            + largest
            + " (CL_DEVICE_MAX_MEM_ALLOC_SIZE)");
  }

  @Override
  public boolean isCpuAccessible() {
    return false;
  }

  @Override
  public long alignment() {
    return memory.alignment();
  }

  @Override
  public long allocate(long bytes, long alignment) {
    return memory.allocate(bytes, alignment);
  }

  @Override
  public void free(long address, long bytes) {
    memory.free(address, bytes);
  }

  @Override
  public @Nullable HostMemory hostMemory() {
    return hostMemory;
  }

  @Override
  public long map(long address, long bytes) {
    UnifiedMemory kind = kindOf(address);
    if (kind != null) return kind == UnifiedMemory.DEVICE ? 0 : address;
    if (!device.hasSvm()) return 0;
    check(Cl.enqueueSvmMap(mappingQueue, true, Cl.MAP_READ | Cl.MAP_WRITE, address, bytes), "clEnqueueSVMMap", bytes);
    return address;
  }

  @Override
  public void unmap(long address, long bytes) {
    if (kindOf(address) != null) return;
    check(Cl.enqueueSvmUnmap(mappingQueue, address), "clEnqueueSVMUnmap", bytes);
    check(Cl.finish(mappingQueue), "clFinish");
  }

  /**
   * Returns the kind of unified memory at an address; null for any other address. The method queries the platform,
   * since such memory may also come from other code.
   */
  private @Nullable UnifiedMemory kindOf(long address) {
    Usm usm = device.usm();
    return usm == null ? null : usm.kindOf(context, address);
  }

  @Override
  public long createQueue() {
    MemorySegment scratch = Cl.scratch();
    long queue = Cl.createQueue(context, device.id(), scratch.address());
    int code = scratch.get(JAVA_INT, 0);
    if (queue == 0 || code != 0) throw error("clCreateCommandQueueWithProperties", code, "");
    return queue;
  }

  @Override
  public void checkQueue(long queue) {
    long its = queueInfo(queue, Cl.QUEUE_CONTEXT);
    if (its != context) {
      throw new DeviceException(Errno.EINVAL, "the queue belongs to the context " + hex(its)
          + ", but the device works in " + hex(context) + "; create it in OpenCl.context(device)");
    }
    if ((queueInfo(queue, Cl.QUEUE_PROPERTIES) & Cl.OUT_OF_ORDER) != 0) {
      throw new DeviceException(Errno.EINVAL, "the queue executes out of order, but a stream needs an in-order queue");
    }
  }

  private long queueInfo(long queue, int what) {
    MemorySegment scratch = Cl.scratch();
    check(Cl.getQueueInfo(queue, what, Long.BYTES, scratch.address()), "clGetCommandQueueInfo");
    return scratch.get(JAVA_LONG, 0);
  }

  @Override
  public void destroyQueue(long queue) {
    check(Cl.flush(queue), "clFlush");
    check(Cl.releaseQueue(queue), "clReleaseCommandQueue");
  }

  @Override
  public void synchronizeQueue(long queue) {
    long event = record(queue); // clFinish does not report the failure of a command
    try {
      synchronizeEvent(event);
    } finally {
      destroyEvent(event);
    }
  }

  @Override
  public void copy(long queue, long to, long from, long bytes) {
    if (bytes == 0) return;
    long event = events.place();
    enqueueCopy(queue, to, from, bytes, event);
    events.placed(event);
    flush(queue);
  }

  /** Queues all copies, and then flushes the queue once. */
  @Override
  public void copy(long queue, CopyBatch batch) {
    try (ClEvents.Batch held = events.batch(batch.count())) {
      for (int i = 0; i < batch.count(); i++) {
        enqueueCopy(queue, batch.to(i), batch.from(i), batch.bytes(i), held.place());
        held.placed();
      }
    } finally { // also if one copy fails after others were queued
      flush(queue);
    }
  }

  /** Queues a copy by the function for the memory: unified memory has its own function. */
  private void enqueueCopy(long queue, long to, long from, long bytes, long event) {
    Usm usm = device.usm();
    if (usm != null && (!device.hasSvm() || kindOf(to) != null || kindOf(from) != null)) {
      checkCopy(usm.enqueueMemcpy(queue, to, from, bytes, event), "clEnqueueMemcpyINTEL", to, from, bytes);
    } else {
      checkCopy(Cl.enqueueSvmMemcpy(queue, to, from, bytes, event), "clEnqueueSVMMemcpy", to, from, bytes);
    }
  }

  private void checkCopy(int code, String function, long to, long from, long bytes) {
    if (code != 0) throw error(function, code, bytes + " bytes from " + hex(from) + " to " + hex(to));
  }

  @Override
  public long record(long queue) {
    MemorySegment scratch = Cl.scratch();
    check(Cl.enqueueMarker(queue, scratch.address()), "clEnqueueMarkerWithWaitList");
    long event = scratch.get(JAVA_LONG, 0);
    flush(queue);
    return event;
  }

  @Override
  public void destroyEvent(long event) {
    events.destroy(event);
  }

  @Override
  public void waitFor(long queue, long event) {
    flushQueueOf(event);
    MemorySegment scratch = Cl.scratch();
    scratch.set(JAVA_LONG, 0, event);
    long place = events.place();
    check(Cl.enqueueBarrier(queue, 1, scratch.address(), place), "clEnqueueBarrierWithWaitList");
    events.placed(place);
    flush(queue);
  }

  @Override
  public boolean isReady(long event) {
    int status = status(event);
    if (status < 0) throw failed(status);
    return status == Cl.COMPLETE;
  }

  /**
   * Creates the exception for a failed command. PoCL's own code for a command that failed because an earlier one failed
   * is -1.
   */
  private DeviceException failed(int status) {
    String code = status == -1 ? "CL_FAILED (-1)" : ClErrors.describe(status);
    return new DeviceException(ClErrors.errno(status), "a command on " + name + " failed: " + code);
  }

  /** Returns OpenCL's execution status: 0 if the command is complete, negative if it failed. */
  int status(long event) {
    MemorySegment scratch = Cl.scratch();
    check(Cl.getEventInfo(event, Cl.EVENT_COMMAND_EXECUTION_STATUS, Integer.BYTES, scratch.address()),
        "clGetEventInfo");
    return scratch.get(JAVA_INT, 0);
  }

  @Override
  public void synchronizeEvent(long event) {
    MemorySegment scratch = Cl.scratch();
    scratch.set(JAVA_LONG, 0, event);
    int code = Cl.waitForEvents(1, scratch.address());
    if (code == 0) return;
    isReady(event); // throws the failure of the command, if one failed
    throw error("clWaitForEvents", code, "");
  }

  @Override
  public void onComplete(long event, Completion completion) {
    flushQueueOf(event);
    if (!device.isPocl()) {
      call(event, completion);
      return;
    }
    // for ClFailures: once the callback has called the completion, its owner may release the event
    check(Cl.retainEvent(event), "clRetainEvent");
    try {
      call(event, completion);
      ClFailures.watch(this, event, completion);
    } catch (Throwable t) {
      try {
        destroyEvent(event);
      } catch (Throwable second) {
        t.addSuppressed(second);
      }
      throw t;
    }
  }

  private void call(long event, Completion completion) {
    int code = Cl.setEventCallback(event, Cl.COMPLETE, completion.eventCallback(), completion.userData());
    check(code, "clSetEventCallback");
  }

  /** Rejects an event of another context: only queues of its own context can wait for an event. */
  @Override
  public void checkEvent(long event) {
    // a query of a foreign object would end the process
    if (ClObjects.canIdentify() && ClObjects.word(event) != firstOfEvent) {
      throw new DeviceException(Errno.EINVAL,
          "its sync_event leads to " + hex(event) + ", which is not an event of the platform of " + name);
    }
    long its = eventInfo(event, Cl.EVENT_CONTEXT);
    if (its != context) {
      throw new DeviceException(
          Errno.EINVAL,
          "its sync_event belongs to the context " + hex(its) + ", but " + name + " works in " + hex(context)
              + "; create it in the context that OpenCl.context(device) returns");
    }
  }

  @Override
  public void checkBuffer(long address) {
    if (ClObjects.isMemObject(address, context)) {
      throw new DeviceException(
          Errno.EINVAL,
          "the buffer " + hex(address) + " is a cl_mem; buffers on " + name
              + " are pointers to shared virtual or unified memory"
              + "; declare it with OpenCl.importMemObjects");
    }
    OpenClDriver other = OpenClProvider.otherWith(this, address);
    if (other != null) {
      throw new DeviceException(Errno.EINVAL,
          "the buffer " + hex(address) + " is memory of " + other.name + ", and not of " + name);
    }
  }

  /**
   * Returns whether an address outside all allocations of this driver may be in shared virtual memory of other code.
   */
  boolean mayBeSvm(long address) {
    return device.hasSvm() && kindOf(address) == null;
  }

  /**
   * Returns whether an address is in memory that this device is known to have. That is shared virtual memory from this
   * driver, or any unified memory of its context.
   */
  boolean has(long address) {
    return blocks.of(address) != null || kindOf(address) != null;
  }

  /**
   * Flushes the queue of an event. An event of other code may be in a queue that was never flushed; a user event has no
   * queue.
   */
  private void flushQueueOf(long event) {
    long queue = eventInfo(event, Cl.EVENT_COMMAND_QUEUE);
    if (queue != 0) flush(queue);
  }

  private long eventInfo(long event, int what) {
    MemorySegment scratch = Cl.scratch();
    check(Cl.getEventInfo(event, what, Long.BYTES, scratch.address()), "clGetEventInfo");
    return scratch.get(JAVA_LONG, 0);
  }

  void flush(long queue) {
    check(Cl.flush(queue), "clFlush");
  }

  void check(int code, String function) {
    if (code != 0) throw error(function, code, "");
  }

  void check(int code, String function, long bytes) {
    if (code != 0) throw error(function, code, bytes + " bytes");
  }

  DeviceException error(String function, int code, String asked) {
    return ClErrors.exception(function + " on " + name, code, asked);
  }

  static String hex(long pointer) {
    return "0x" + Long.toHexString(pointer);
  }
}
