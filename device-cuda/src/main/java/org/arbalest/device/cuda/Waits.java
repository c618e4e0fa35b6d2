// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Waits for events that hold up no thread: a stream of ours waits for the event, and then calls a host function. Each wait has a stream to itself,
 * as long as there are some, so that none waits behind another; a GPU does not run more of them side by side.
 *
 * <p>A host function is not called any more when the GPU has failed (an illegal address, say), and that is for good: then all that wait are
 * told, by a thread that looks every now and then while there is somebody waiting.
 */
final class Waits {
  private static final int MOST_LANES = 32;
  private static final long LOOK_MILLIS = 50;

  /** The address of {@link #told}. */
  private static final long TOLD = HostFunctions.stub(MethodHandles.lookup(), "told");

  private static final Map<Long, Waiting> WAITING = new ConcurrentHashMap<>();
  private static final AtomicLong NEXT = new AtomicLong(1);
  private static final Object SOMEBODY = new Object();
  private static boolean watched;

  private final Gpu gpu;
  private final List<Lane> lanes = new ArrayList<>();

  private record Waiting(Waits waits, Lane lane, Runnable action) {}

  /** A stream and how many wait in it. */
  private static final class Lane {
    final long stream;
    final AtomicInteger waiting = new AtomicInteger();

    Lane(long stream) {
      this.stream = stream;
    }
  }

  Waits(Gpu gpu) {
    this.gpu = gpu;
  }

  /**
   * Lets an action run once an event is over; it may not call CUDA, throw or block. Not at all if this throws. From a host function, which may not
   * call CUDA, it is another thread that asks for it.
   */
  void add(long event, Runnable action) {
    watch();
    if (!tryAdd(event, action)) Frees.submit(() -> addElsewhere(event, action));
  }

  /** Nobody is left who could be told of a failure: then this thread waits. */
  private void addElsewhere(long event, Runnable action) {
    try {
      if (!tryAdd(event, action)) throw gpu.error("cuStreamWaitEvent", Cu.NOT_PERMITTED, "");
    } catch (Throwable t) {
      gpu.enter();
      Cu.eventSynchronize(event); // how it ended, core asks by itself
      gpu.leave();
      action.run();
      throw t;
    }
  }

  /** False if this thread may not call CUDA now. */
  private boolean tryAdd(long event, Runnable action) {
    Lane lane = lane();
    if (lane == null) return false;
    boolean added = false;
    long id = NEXT.getAndIncrement();
    WAITING.put(id, new Waiting(this, lane, action));
    try {
      added = tryAdd(lane.stream, event, id);
    } finally {
      if (!added && WAITING.remove(id) != null) lane.waiting.decrementAndGet();
    }
    if (added) wakeWatch();
    return added;
  }

  private boolean tryAdd(long stream, long event, long id) {
    if (!gpu.tryEnter()) return false;
    int waiting = Cu.streamWaitEvent(stream, event, 0);
    int launched = waiting == Cu.SUCCESS ? HostFunctions.launch(stream, TOLD, id) : waiting;
    gpu.leave();
    if (waiting == Cu.NOT_PERMITTED) return false;
    gpu.check(waiting, "cuStreamWaitEvent");
    gpu.check(launched, HostFunctions.LAUNCH);
    return true;
  }

  /** The stream in which the fewest wait, with one more; null if this thread may not make one now. */
  private synchronized @Nullable Lane lane() {
    Lane best = null;
    for (Lane lane : lanes) {
      if (best == null || lane.waiting.get() < best.waiting.get()) best = lane;
      if (best.waiting.get() == 0) break;
    }
    if (best == null || (best.waiting.get() > 0 && lanes.size() < MOST_LANES)) {
      MemorySegment scratch = Cu.scratch();
      if (!gpu.tryEnter()) return null;
      int code = Streams.createForWaits(scratch.address());
      gpu.leave();
      if (code == Cu.NOT_PERMITTED) return null;
      gpu.check(code, "cuStreamCreate");
      best = new Lane(scratch.get(JAVA_LONG, 0));
      lanes.add(best);
    }
    best.waiting.incrementAndGet();
    return best;
  }

  /** How many streams there are; for tests, which count the driver's. */
  synchronized int lanes() {
    return lanes.size();
  }

  /** The host function. Nothing may be thrown into the driver. */
  static void told(long id) {
    try {
      tell(id);
    } catch (Throwable t) {
      CuErrors.report("telling that an event has completed", t);
    }
  }

  private static void tell(Long id) {
    Waiting waiting = WAITING.remove(id);
    if (waiting == null) return;
    waiting.lane.waiting.decrementAndGet();
    waiting.action.run();
  }

  private static void watch() {
    synchronized (SOMEBODY) {
      if (watched) return;
      Thread.ofPlatform().name("arbalest-cuda-watch").daemon().start(Waits::look);
      watched = true;
    }
  }

  private static void wakeWatch() {
    synchronized (SOMEBODY) {
      SOMEBODY.notifyAll();
    }
  }

  private static void look() {
    while (true) {
      try {
        synchronized (SOMEBODY) {
          while (WAITING.isEmpty()) SOMEBODY.wait();
        }
        Thread.sleep(LOOK_MILLIS);
        WAITING.forEach((id, waiting) -> {
          if (waiting.waits.hasFailed(waiting.lane)) tell(id);
        });
      } catch (Throwable t) {
        CuErrors.report("looking for a GPU that has failed", t);
      }
    }
  }

  private boolean hasFailed(Lane lane) {
    if (!gpu.tryEnter()) return false;
    int code = Cu.streamQuery(lane.stream);
    gpu.leave();
    return code != Cu.SUCCESS && code != Cu.NOT_READY;
  }
}
