// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Waits of threads for events. While a thread waits for an event, HIP lets others wait as well who ask for it or queue a wait for it, and frees it
 * under that thread if somebody destroys it. So a thread waits for an event that nobody else has, behind the one it means, in a stream that is its
 * own meanwhile.
 */
final class ThreadWaits {
  private record Place(long stream, long event) {}

  private final Gpu gpu;
  private final ConcurrentLinkedDeque<Place> idle = new ConcurrentLinkedDeque<>();
  private final AtomicInteger places = new AtomicInteger();

  ThreadWaits(Gpu gpu) {
    this.gpu = gpu;
  }

  /** Blocks until an event has completed; it may be destroyed meanwhile. Throws if the GPU has failed. */
  void await(long event) {
    Place place = idle.pollLast();
    if (place == null) place = create();
    int queued = Hip.streamWaitEvent(place.stream, event, 0);
    int recorded = queued == Hip.SUCCESS ? Hip.eventRecord(place.event, place.stream) : queued;
    int waited = recorded == Hip.SUCCESS ? Hip.eventSynchronize(place.event) : recorded;
    if (waited == Hip.SUCCESS) {
      idle.addLast(place);
      return;
    }
    String function = queued != Hip.SUCCESS ? "hipStreamWaitEvent" : recorded != Hip.SUCCESS ? "hipEventRecord" : "hipEventSynchronize";
    var failure = gpu.error(function, waited, "");
    try {
      destroy(place); // somebody else would wait behind this event
    } catch (Throwable t) {
      failure.addSuppressed(t);
    }
    throw failure;
  }

  private Place create() {
    MemorySegment scratch = Hip.scratch();
    int before = gpu.enter();
    int made = Streams.createForWaits(gpu, scratch.address());
    int created = made == Hip.SUCCESS ? Streams.createEvent(scratch.address() + 8) : Hip.SUCCESS;
    int destroyed = created == Hip.SUCCESS ? Hip.SUCCESS : Hip.streamDestroy(scratch.get(JAVA_LONG, 0));
    gpu.leave(before);
    gpu.check(made, "hipStreamCreateWithPriority");
    if (created != Hip.SUCCESS) {
      var failure = gpu.error("hipEventCreateWithFlags", created, "");
      if (destroyed != Hip.SUCCESS) failure.addSuppressed(gpu.error("hipStreamDestroy", destroyed, ""));
      throw failure;
    }
    places.incrementAndGet();
    return new Place(scratch.get(JAVA_LONG, 0), scratch.get(JAVA_LONG, 8));
  }

  private void destroy(Place place) {
    places.decrementAndGet();
    try {
      Streams.destroyEvent(gpu, place.event);
    } finally {
      Streams.destroy(gpu, place.stream);
    }
  }

  /** How many there are, a stream and an event each; for tests, which count HIP's. */
  int places() {
    return places.get();
  }
}
