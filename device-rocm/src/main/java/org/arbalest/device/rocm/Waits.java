// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Waits for events that hold up no thread: a stream of ours waits for the event, and then calls a host function. Each wait has a stream to itself,
 * as long as there are some, so that none waits behind another.
 *
 * <p>Most failures of a GPU end the process. Of those that do not, a host function is not sure to be told: then all that wait are, by a thread that
 * looks every now and then while there is somebody waiting.
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

  private record Waiting(Lane lane, Runnable action) {}

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

  /** Lets an action run once an event is over; it may not call HIP, throw or block. Not at all if this throws. */
  void add(long event, Runnable action) {
    watch();
    Lane lane = lane();
    boolean added = false;
    long id = NEXT.getAndIncrement();
    WAITING.put(id, new Waiting(lane, action));
    try {
      added = tryAdd(lane.stream, event, id);
    } finally {
      if (!added && WAITING.remove(id) != null) lane.waiting.decrementAndGet();
    }
    wakeWatch();
  }

  private boolean tryAdd(long stream, long event, long id) {
    gpu.check(Hip.streamWaitEvent(stream, event, 0), "hipStreamWaitEvent");
    gpu.check(HostFunctions.launch(stream, TOLD, id), HostFunctions.LAUNCH);
    return true;
  }

  /** The stream in which the fewest wait, with one more. */
  private synchronized Lane lane() {
    Lane best = null;
    for (Lane lane : lanes) {
      if (best == null || lane.waiting.get() < best.waiting.get()) best = lane;
      if (best.waiting.get() == 0) break;
    }
    if (best == null || (best.waiting.get() > 0 && lanes.size() < MOST_LANES)) {
      MemorySegment scratch = Hip.scratch();
      int before = gpu.enter();
      int code = Streams.createForWaits(gpu, scratch.address());
      gpu.leave(before);
      gpu.check(code, "hipStreamCreateWithPriority");
      best = new Lane(scratch.get(JAVA_LONG, 0));
      lanes.add(best);
    }
    best.waiting.incrementAndGet();
    return best;
  }

  /** How many streams there are; for tests, which count HIP's. */
  synchronized int lanes() {
    return lanes.size();
  }

  /** The host function. Nothing may be thrown into HIP. */
  static void told(long id) {
    try {
      tell(id);
    } catch (Throwable t) {
      HipErrors.report("telling that an event has completed", t);
    }
  }

  /** The same for ROCm 5. */
  static void told(long stream, int status, long id) {
    told(id);
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
      Thread.ofPlatform().name("arbalest-rocm-watch").daemon().start(Waits::look);
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
          if (hasFailed(waiting.lane)) tell(id);
        });
      } catch (Throwable t) {
        HipErrors.report("looking for a GPU that has failed", t);
      }
    }
  }

  private static boolean hasFailed(Lane lane) {
    int code = Hip.streamQuery(lane.stream);
    return code != Hip.SUCCESS && code != Hip.NOT_READY;
  }
}
