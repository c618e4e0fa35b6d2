// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.DeviceType;
import org.arbalest.device.spi.CopyBatch;
import org.arbalest.device.spi.HostMemory;
import org.arbalest.device.spi.HostStaging;
import org.arbalest.device.spi.HostTask;
import org.jspecify.annotations.Nullable;

/**
 * The copies of a GPU. Each piece of a batch is one call: {@code hipMemcpyBatchAsync} is a loop up to ROCm 7.2, and
 * corrupts memory in later releases (ROCm/rocm-systems issue 11662). Copies between two GPUs that do not reach each
 * other go through main memory, which HIP does by itself.
 *
 * <p>Core implements copies from and to pageable memory, because HIP blocks the caller for those.
 */
final class Copies implements HostStaging {
  private final Gpu gpu;
  private final HostMemory pinned;

  Copies(Gpu gpu) {
    this.gpu = gpu;
    this.pinned = new HostMemory(DeviceType.ROCM_HOST, gpu.pinnedMemory);
  }

  void copy(long queue, long to, long from, long bytes) {
    int before = gpu.enterOrdered();
    int code = HipCopies.memcpyAsync(to, from, bytes, queue);
    gpu.leave(before);
    if (code != Hip.SUCCESS) throw gpu.error(Hip.MEMCPY_ASYNC, code, describe(to, from, bytes));
  }

  void copy(long queue, CopyBatch batch) {
    copy(queue, batch, null);
  }

  /** Queues the copies and, if it is not null, a task after them, with one change of the device. */
  void copy(long queue, CopyBatch batch, @Nullable HostTask task) {
    int before = gpu.enterOrdered();
    int code = Hip.SUCCESS;
    int done = 0;
    for (; done < batch.count() && code == Hip.SUCCESS; done++)
      code = HipCopies.memcpyAsync(batch.to(done), batch.from(done), batch.bytes(done), queue);
    int launched = task != null && code == Hip.SUCCESS ? HostFunctions.launch(queue, task) : Hip.SUCCESS;
    gpu.leave(before);
    gpu.check(launched, HostFunctions.LAUNCH);
    if (code != Hip.SUCCESS) throw gpu.error(Hip.MEMCPY_ASYNC, code, describe(batch, done - 1));
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
    int before = gpu.enterOrdered();
    int code = HostFunctions.launch(queue, task);
    gpu.leave(before);
    gpu.check(code, HostFunctions.LAUNCH);
  }

  /**
   * Returns false. The memory of an APU or an MI300A is one, but HIP does not document that it copies pageable memory
   * without a wait.
   */
  @Override
  public boolean reachesPageable() {
    return false;
  }

  @Override
  public boolean copiesBatches() {
    return false;
  }
}
