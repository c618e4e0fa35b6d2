// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.util.OptionalLong;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.spi.Answer;
import org.arbalest.device.spi.BitCounter;
import org.arbalest.device.spi.Completion;
import org.arbalest.device.spi.CopyBatch;
import org.arbalest.device.spi.HostMemory;
import org.arbalest.device.spi.HostStaging;
import org.arbalest.device.spi.HostTask;
import org.arbalest.device.spi.MemoryDriver;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/** The driver for one kind of a GPU's memory, with the GPU's queues. */
final class CudaDriver extends MemoryDriver {
  private final Gpu gpu;
  private final DeviceType type;

  private CudaDriver(Gpu gpu, DeviceType type, MemoryAllocator memory, @Nullable HostMemory hostMemory) {
    super(memory, hostMemory);
    this.gpu = gpu;
    this.type = type;
  }

  static CudaDriver of(Gpu gpu, DeviceType type) {
    HostMemory pinned = new HostMemory(DeviceType.CUDA_HOST, gpu.pinnedMemory);
    if (type.equals(DeviceType.CUDA_HOST)) return new CudaDriver(gpu, type, gpu.pinnedMemory, null);
    if (type.equals(DeviceType.CUDA_MANAGED)) return new CudaDriver(gpu, type, gpu.managedMemory, pinned);
    return new CudaDriver(gpu, type, gpu.deviceMemory, pinned);
  }

  /** Only the handles of default streams mean another queue in another context. */
  @Override
  public void checkQueue(long queue) {
    if (Long.compareUnsigned(queue, Cu.PER_THREAD_STREAM) <= 0) Streams.checkDefault(gpu, queue);
  }

  /** The legacy default stream waits for the default stream of each thread. */
  @Override
  public long queueForAnyThread(long queue) {
    return queue == Cu.PER_THREAD_STREAM ? Cu.LEGACY_STREAM : queue;
  }

  /** "None: producer must assume the legacy default stream" (array API, {@code __dlpack__}, CUDA). */
  @Override
  public OptionalLong runtimeQueue() {
    return type.equals(DeviceType.CUDA_HOST) ? OptionalLong.empty() : OptionalLong.of(Cu.LEGACY_STREAM);
  }

  /** Returns null for pinned and managed memory, which has no stream order. */
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

  /**
   * Returns whether a queue has no work left. A failed GPU is idle: it does no more work. A queue counts as busy in a
   * host function, which must not query it. It also counts as busy while a graph is captured, since its state is
   * unknown then.
   */
  @Override
  public boolean isIdle(long queue) {
    int code = gpu.push();
    if (code == Cu.SUCCESS) {
      code = Cu.STREAM_QUERY.call(queue);
      gpu.leave();
    }
    Answer answer = CuAnswers.of(code);
    return answer != Answer.NOT_READY && !answer.saysNothing();
  }

  @Override
  public boolean isCaptured(long queue) {
    return Streams.isCaptured(gpu, queue);
  }

  @Override
  public @Nullable BitCounter bitCounter() {
    return gpu.kernels.loadCounter();
  }

  /** Returns null for pinned and managed memory: processes share it by other means, or not at all. */
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

  @Override
  public void synchronizeQueue(long queue) {
    gpu.enter();
    int code = Cu.STREAM_SYNCHRONIZE.call(queue);
    gpu.leave();
    if (CuAnswers.of(code) == Answer.CANNOT_TELL && code != Cu.NOT_PERMITTED) {
      awaitEnd(queue, code);
    } else {
      gpu.check(code, Cu.STREAM_SYNCHRONIZE);
    }
  }

  /**
   * Waits for a stream that cannot be queried. An event at its end can be queried, sooner or later. If no event can be
   * recorded, the method throws with the stream's code: the state is unknown.
   */
  private void awaitEnd(long queue, int code) {
    long end;
    try {
      end = Streams.record(gpu, queue);
    } catch (DeviceException e) {
      DeviceException failure = gpu.error(Cu.STREAM_SYNCHRONIZE, code, "");
      failure.addSuppressed(e);
      throw failure;
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
  public long copyAndRecord(long queue, CopyBatch batch) {
    return gpu.copies.copyAndRecord(queue, batch);
  }

  @Override
  public void copyAndRun(long queue, CopyBatch batch, HostTask task) {
    gpu.copies.copyAndRun(queue, batch, task);
  }

  @Override
  public HostStaging hostStaging() {
    return gpu.copies;
  }

  /** Every GPU reaches pinned and managed memory, and the memory of another GPU. */
  @Override
  public boolean reaches(DeviceType type, long id) {
    if (!CudaProvider.serves(type)) return false;
    Gpu other = Gpu.ifOpen(id);
    return other != null && (!type.equals(DeviceType.CUDA) || gpu.reaches(other));
  }

  @Override
  public long record(long queue) {
    return Streams.record(gpu, queue);
  }

  @Override
  public void waitFor(long queue, long event) {
    gpu.enterOrdered();
    int code = Cu.STREAM_WAIT_EVENT.call(queue, event, 0);
    gpu.leave();
    gpu.check(code, Cu.STREAM_WAIT_EVENT);
  }

  /** In a host function, which must not query, an event counts as not complete. */
  @Override
  public boolean isReady(long event) {
    return ask(event) == Answer.DONE;
  }

  @Override
  public Answer ask(long event) {
    int code = gpu.waits.query(event);
    Answer answer = CuAnswers.of(code);
    if (answer == Answer.FAILED || answer == Answer.UNKNOWN) throw gpu.error(Cu.EVENT_QUERY, code, "");
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
    CuAddress.checkEvent(gpu, event);
  }

  @Override
  public void checkBuffer(long address) {
    CuAddress.check(gpu, type, address);
  }

  @Override
  public boolean checksEachBuffer() {
    return false;
  }
}
