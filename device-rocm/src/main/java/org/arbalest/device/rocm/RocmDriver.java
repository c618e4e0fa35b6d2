// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.util.OptionalLong;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.spi.Answer;
import org.arbalest.device.spi.Completion;
import org.arbalest.device.spi.CopyBatch;
import org.arbalest.device.spi.HostMemory;
import org.arbalest.device.spi.HostStaging;
import org.arbalest.device.spi.HostTask;
import org.arbalest.device.spi.MemoryDriver;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/** The driver for one kind of a GPU's memory, with the GPU's queues. */
final class RocmDriver extends MemoryDriver {
  private final Gpu gpu;
  private final DeviceType type;

  private RocmDriver(Gpu gpu, DeviceType type, MemoryAllocator memory, @Nullable HostMemory hostMemory) {
    super(memory, hostMemory);
    this.gpu = gpu;
    this.type = type;
  }

  static RocmDriver of(Gpu gpu, DeviceType type) {
    if (type.equals(DeviceType.ROCM_HOST)) return new RocmDriver(gpu, type, gpu.pinnedMemory, null);
    return new RocmDriver(gpu, type, gpu.deviceMemory, new HostMemory(DeviceType.ROCM_HOST, gpu.pinnedMemory));
  }

  /** The null stream waits for the default stream of each thread. */
  @Override
  public long queueForAnyThread(long queue) {
    return queue == Hip.PER_THREAD_STREAM ? Hip.NULL_STREAM : queue;
  }

  /** "None: producer must assume the default stream" (array API, {@code __dlpack__}, ROCm). */
  @Override
  public OptionalLong runtimeQueue() {
    return type.equals(DeviceType.ROCM_HOST) ? OptionalLong.empty() : OptionalLong.of(Hip.NULL_STREAM);
  }

  /** Returns null for pinned memory, which has no stream order. */
  @Override
  public @Nullable MemoryAllocator orderedBy(long queue) {
    return isFrom(gpu.deviceMemory) ? gpu.pool.orderedBy(queue) : null;
  }

  @Override
  public void pin(long address, long bytes) {
    Registrations.pin(gpu, address, bytes);
  }

  @Override
  public void unpin(long address, long bytes) {
    Registrations.unpin(gpu, address);
  }

  /** Returns whether a queue has no work left. A failed GPU is idle: it does no more work. */
  @Override
  public boolean isIdle(long queue) {
    int before = gpu.enter();
    int code = Hip.STREAM_QUERY.call(queue);
    gpu.leave(before);
    if (code != Hip.SUCCESS && code != Hip.NOT_READY) HipErrors.forget();
    Answer answer = HipAnswers.of(code);
    return answer != Answer.NOT_READY && !answer.saysNothing();
  }

  @Override
  public boolean isCaptured(long queue) {
    return Streams.isCaptured(gpu, queue);
  }

  /** Returns null for pinned memory: processes share it by other means, or not at all. */
  @Override
  public @Nullable ProcessSharing sharing() {
    return isFrom(gpu.deviceMemory) ? gpu.sharing : null;
  }

  @Override
  public long createQueue() {
    return Streams.create(gpu);
  }

  @Override
  public void destroyQueue(long queue) {
    Streams.destroy(gpu, queue);
  }

  @Override
  public void destroyEvent(long event) {
    Streams.destroyEvent(gpu, event);
  }

  /**
   * Blocks until the work in a queue is done, by queries of an event at its end. The method does not call
   * {@code hipStreamSynchronize}: during that call, other threads cannot even queue work (ROCm/rocm-systems issue
   * 11678).
   */
  @Override
  public void synchronizeQueue(long queue) {
    long end;
    try {
      end = Streams.record(gpu, queue);
    } catch (DeviceException _) { // after another failure, no event may be available either
      Streams.await(gpu, queue);
      return;
    }
    try {
      gpu.waits.await(end);
    } finally {
      Streams.destroyEvent(gpu, end);
    }
  }

  @Override
  public void copy(long queue, long to, long from, long bytes) {
    if (bytes > 0) gpu.copies.copy(queue, to, from, bytes);
  }

  @Override
  public void copy(long queue, CopyBatch batch) {
    gpu.copies.copy(queue, batch);
  }

  @Override
  public void copyAndRun(long queue, CopyBatch batch, HostTask task) {
    gpu.copies.copy(queue, batch, task);
  }

  @Override
  public HostStaging hostStaging() {
    return gpu.copies;
  }

  /** Every GPU reaches pinned memory, and the memory of another GPU. */
  @Override
  public boolean reaches(DeviceType type, long id) {
    if (!RocmProvider.serves(type)) return false;
    Gpu other = Gpu.ifOpen(id);
    return other != null && (!type.equals(DeviceType.ROCM) || gpu.reaches(other));
  }

  @Override
  public long record(long queue) {
    return Streams.record(gpu, queue);
  }

  @Override
  public void waitFor(long queue, long event) {
    int before = gpu.enterOrdered();
    int code = Hip.STREAM_WAIT_EVENT.call(queue, event, 0);
    gpu.leave(before);
    gpu.check(code, Hip.STREAM_WAIT_EVENT);
  }

  @Override
  public boolean isReady(long event) {
    return ask(event) == Answer.DONE;
  }

  @Override
  public Answer ask(long event) {
    int code = gpu.waits.query(event);
    Answer answer = HipAnswers.of(code);
    if (answer == Answer.FAILED || answer == Answer.UNKNOWN) throw gpu.error(Hip.EVENT_QUERY, code, "");
    return answer;
  }

  @Override
  public void synchronizeEvent(long event) {
    gpu.waits.await(event);
  }

  @Override
  public void onComplete(long event, Completion completion) {
    gpu.waits.add(event, completion);
  }

  @Override
  public void checkEvent(long event) {
    HipAddress.checkEvent(gpu, event);
  }

  @Override
  public void checkBuffer(long address) {
    HipAddress.check(gpu, type, address);
  }

  @Override
  public boolean checksEachBuffer() {
    return false;
  }
}
