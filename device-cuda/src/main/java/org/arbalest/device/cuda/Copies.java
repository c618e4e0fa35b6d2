// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.spi.CopyBatch;
import org.arbalest.device.spi.HostMemory;
import org.arbalest.device.spi.HostStaging;
import org.arbalest.device.spi.HostTask;
import org.jspecify.annotations.Nullable;

/**
 * The copies of a GPU. A batch is one call of the driver, if the driver supports that (12.8). Copies between two GPUs
 * that do not reach each other go through main memory.
 *
 * <p>Core implements copies from and to pageable memory, because the driver blocks the caller for those.
 */
final class Copies implements HostStaging {
  private final Gpu gpu;
  private final HostMemory pinned;

  /**
   * Whether the driver copies a batch in one call. That call takes the GPU's addresses, and {@code cuMemcpyAsync} also
   * those of the CPU, which differ for registered memory on some machines (WSL2, Windows, Tegra).
   */
  private final boolean copiesBatches;

  /** Whether one copy is a batch too: decision 35. */
  private final boolean copiesOneAsBatch;

  Copies(Gpu gpu) {
    this.gpu = gpu;
    this.pinned = new HostMemory(DeviceType.CUDA_HOST, gpu.pinnedMemory);
    this.copiesBatches =
        CuCopies.copiesBatches() && Gpu.attribute(gpu.ordinal, CuRegister.CAN_USE_HOST_POINTER) != 0;
    this.copiesOneAsBatch = copiesBatches && CuCopies.copiesOneAsBatch();
  }

  void copy(long queue, long to, long from, long bytes) {
    gpu.enterOrdered();
    int code = Cu.MEMCPY_ASYNC.call(to, from, bytes, queue);
    gpu.leave();
    if (code != Cu.SUCCESS) throw gpu.error(Cu.MEMCPY_ASYNC, code, describe(to, from, bytes));
  }

  void copy(long queue, CopyBatch batch) {
    Queued queued = new Queued();
    gpu.enterOrdered();
    queue(queue, batch, queued);
    gpu.leave();
    if (queued.code != Cu.SUCCESS) throw queued.failure(batch);
  }

  /** Queues the copies and an event after them, with one change of the context. Returns the event. */
  long copyAndRecord(long queue, CopyBatch batch) {
    Queued queued = new Queued();
    MemorySegment scratch = Cu.scratch();
    gpu.enterOrdered();
    queue(queue, batch, queued);
    int created = queued.code == Cu.SUCCESS ? Streams.createEvent(scratch.address()) : Cu.SUCCESS;
    long event = created == Cu.SUCCESS ? scratch.get(JAVA_LONG, 0) : 0;
    int recorded = queued.code == Cu.SUCCESS && created == Cu.SUCCESS ? Cu.EVENT_RECORD.call(event, queue) : Cu.SUCCESS;
    int destroyed = recorded == Cu.SUCCESS ? Cu.SUCCESS : Cu.EVENT_DESTROY.call(event);
    gpu.leave();
    if (queued.code != Cu.SUCCESS) throw queued.failure(batch);
    gpu.check(created, Cu.EVENT_CREATE);
    if (recorded == Cu.SUCCESS) return event;
    DeviceException failure = gpu.error(Cu.EVENT_RECORD, recorded, "");
    if (destroyed != Cu.SUCCESS) failure.addSuppressed(gpu.error(Cu.EVENT_DESTROY, destroyed, ""));
    throw failure;
  }

  /** Queues the copies and a task after them, with one change of the context. */
  void copyAndRun(long queue, CopyBatch batch, HostTask task) {
    Queued queued = new Queued();
    gpu.enterOrdered();
    queue(queue, batch, queued);
    int launched = queued.code == Cu.SUCCESS
        ? Cu.LAUNCH_HOST_FUNC.call(queue, task.hostFunction(), task.userData())
        : Cu.SUCCESS;
    gpu.leave();
    if (queued.code != Cu.SUCCESS) throw queued.failure(batch);
    gpu.check(launched, Cu.LAUNCH_HOST_FUNC);
  }

  /** The result of queuing a batch. */
  private final class Queued {
    int code = Cu.SUCCESS;

    /** The index of the copy that failed; −1 for the whole batch. */
    int piece = -1;

    DeviceException failure(CopyBatch batch) {
      if (piece >= 0) return gpu.error(Cu.MEMCPY_ASYNC, code, describe(batch, piece));
      String first = describe(batch, 0);
      String what = batch.count() == 1 ? first : batch.count() + " copies, the first of " + first;
      return gpu.error(Cu.MEMCPY_BATCH_ASYNC, code, what);
    }
  }

  /** Queues a batch. The context must be current. */
  private void queue(long queue, CopyBatch batch, Queued queued) {
    boolean isFar = batch.isBetweenDevices() && hasFarPiece(batch);
    boolean isBatch = batch.count() == 1 ? copiesOneAsBatch : copiesBatches;
    boolean isOneCall = isBatch && Long.compareUnsigned(queue, Cu.LEGACY_STREAM) > 0 && !isFar;
    queued.code = isOneCall ? CuCopies.memcpyBatchAsync(batch, queue) : Cu.NOT_SUPPORTED;
    if (isOneCall && queued.code != Cu.NOT_SUPPORTED) return;
    queued.code = Cu.SUCCESS;
    for (int i = 0; i < batch.count() && queued.code == Cu.SUCCESS; i++) {
      queued.piece = i;
      queued.code = isFar
          ? queueFar(queue, batch, i)
          : Cu.MEMCPY_ASYNC.call(batch.to(i), batch.from(i), batch.bytes(i), queue);
    }
  }

  /** Returns whether a copy is from or to memory that this GPU does not reach. The context must be current. */
  private boolean hasFarPiece(CopyBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      if (isFar(batch.to(i)) || isFar(batch.from(i))) return true;
    }
    return false;
  }

  /**
   * Returns whether an address is in another GPU's memory that this GPU does not reach. The owner of the memory, such
   * as another library's pool, decides on the access, not only the hardware. The context must be current.
   */
  private boolean isFar(long address) {
    MemorySegment scratch = Cu.scratch();
    if (CuMemory.kindOf(address) != CuMemory.ON_DEVICE) return false;
    scratch.set(JAVA_INT, 0, 0);
    int code = Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), CuMemory.POINTER_ACCESS_FLAGS, address);
    if (code == Cu.SUCCESS) return scratch.get(JAVA_INT, 0) == 0;
    Gpu owner = ownerOf(address); // the driver is older than the attribute
    return owner != null && gpu.isFar(owner);
  }

  /**
   * Queues one copy between GPUs. It names the GPUs' contexts only if this GPU does not reach the memory: a driver has
   * such a copy write nothing where access was granted (JuliaGPU/CUDA.jl pull request 3112). The context must be
   * current.
   */
  private int queueFar(long queue, CopyBatch batch, int piece) {
    long to = batch.to(piece);
    long from = batch.from(piece);
    Gpu toGpu = ownerOf(to);
    Gpu fromGpu = ownerOf(from);
    if (toGpu == null || fromGpu == null || toGpu == fromGpu || !(isFar(to) || isFar(from))) {
      return Cu.MEMCPY_ASYNC.call(to, from, batch.bytes(piece), queue);
    }
    return Cu.MEMCPY_PEER_ASYNC.call(to, toGpu.context(), from, fromGpu.context(), batch.bytes(piece), queue);
  }

  /** Returns the open GPU that owns an address; null for main memory. The context must be current. */
  private static @Nullable Gpu ownerOf(long address) {
    MemorySegment scratch = Cu.scratch();
    if (CuMemory.kindOf(address) != CuMemory.ON_DEVICE) return null;
    if (Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), CuMemory.POINTER_DEVICE_ORDINAL, address) != Cu.SUCCESS) {
      return null;
    }
    return Gpu.ifOpen(scratch.get(JAVA_INT, 0));
  }

  private static String describe(CopyBatch batch, int piece) {
    return describe(batch.to(piece), batch.from(piece), batch.bytes(piece));
  }

  private static String describe(long to, long from, long bytes) {
    return bytes + " bytes from 0x" + Long.toHexString(from) + " to 0x" + Long.toHexString(to);
  }

  @Override
  public HostMemory pinnedMemory() {
    return pinned;
  }

  @Override
  public void runOnHost(long queue, HostTask task) {
    gpu.enterOrdered();
    int code = Cu.LAUNCH_HOST_FUNC.call(queue, task.hostFunction(), task.userData());
    gpu.leave();
    gpu.check(code, Cu.LAUNCH_HOST_FUNC);
  }

  @Override
  public boolean reachesPageable() {
    return gpu.reachesPageable;
  }

  @Override
  public boolean copiesBatches() {
    return copiesBatches;
  }
}
