// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.spi.CopyBatch;
import org.arbalest.device.spi.HostMemory;
import org.arbalest.device.spi.HostStaging;
import org.arbalest.device.spi.HostTask;

/**
 * A GPU's copies: one call of the driver's for many where it has that (12.8), by way of main memory where two GPUs do not reach each other. Copies from and to pageable
 * memory, for which the driver lets its caller wait, are core's.
 */
final class Copies implements HostStaging {
  private final Gpu gpu;
  private final HostMemory pinned;

  /** Whether the driver copies many at once: for tests as well. */
  final boolean copiesBatches;

  Copies(Gpu gpu) {
    this.gpu = gpu;
    this.pinned = new HostMemory(DeviceType.CUDA_HOST, gpu.pinnedMemory);
    this.copiesBatches = CuLibrary.has("cuMemcpyBatchAsync_v2") || CuLibrary.has("cuMemcpyBatchAsync");
  }

  void copy(long queue, long to, long from, long bytes) {
    gpu.enter();
    int code = queue(queue, to, from, bytes);
    gpu.leave();
    check(code, to, from, bytes);
  }

  void copy(long queue, CopyBatch batch) {
    gpu.enter();
    boolean isOneCall = copiesBatches && Long.compareUnsigned(queue, Cu.LEGACY_STREAM) > 0 && !gpu.hasFarPeers();
    int code = isOneCall ? CuCopies.memcpyBatchAsync(batch, queue) : Cu.NOT_SUPPORTED;
    int done = 0;
    if (code == Cu.NOT_SUPPORTED) {
      isOneCall = false;
      code = Cu.SUCCESS;
      for (; done < batch.count() && code == Cu.SUCCESS; done++) code = queue(queue, batch.to(done), batch.from(done), batch.bytes(done));
    }
    gpu.leave();
    if (code == Cu.SUCCESS) return;
    if (isOneCall) throw gpu.error("cuMemcpyBatchAsync", code, batch.count() + " copies, the first of " + describe(batch, 0));
    throw gpu.error("cuMemcpyAsync", code, describe(batch, done - 1));
  }

  /** In the context. */
  private int queue(long queue, long to, long from, long bytes) {
    if (!gpu.hasFarPeers()) return CuCopies.memcpyAsync(to, from, bytes, queue);
    long toContext = contextOf(to);
    long fromContext = contextOf(from);
    if (toContext == 0 || fromContext == 0 || toContext == fromContext) return CuCopies.memcpyAsync(to, from, bytes, queue);
    return CuCopies.memcpyPeerAsync(to, toContext, from, fromContext, bytes, queue);
  }

  /** The context of a GPU's memory; 0 for main memory. */
  private long contextOf(long address) {
    MemorySegment scratch = Cu.scratch();
    if (CuMemory.pointerGetAttribute(scratch.address(), CuMemory.POINTER_MEMORY_TYPE, address) != Cu.SUCCESS) return 0;
    if (scratch.get(JAVA_INT, 0) == CuMemory.PINNED) return 0;
    if (CuMemory.pointerGetAttribute(scratch.address(), CuMemory.POINTER_DEVICE_ORDINAL, address) != Cu.SUCCESS) return 0;
    Gpu owner = Gpu.ifOpen(scratch.get(JAVA_INT, 0));
    return owner == null ? 0 : owner.context();
  }

  private void check(int code, long to, long from, long bytes) {
    if (code != Cu.SUCCESS) throw failure(code, to, from, bytes);
  }

  private DeviceException failure(int code, long to, long from, long bytes) {
    return gpu.error("cuMemcpyAsync", code, describe(to, from, bytes));
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
    gpu.enter();
    int code = Cu.launchHostFunc(queue, task.hostFunction(), task.userData());
    gpu.leave();
    gpu.check(code, "cuLaunchHostFunc");
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
