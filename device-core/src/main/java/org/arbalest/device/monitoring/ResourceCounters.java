// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.ResourceCountersBean;
import org.arbalest.device.internal.management.Management;

/**
 * Resource counters: what this process holds at one moment. Everything is zero when all that was made or taken in has
 * been released.
 *
 * <p>For tests and for diagnosis. The counts are exact only while nothing else goes on.
 *
 * @param buffers open {@link DeviceBuffer}s, those of arrays included
 * @param bufferBytes their size in bytes
 * @param arrays arrays whose memory somebody holds: a handle, or C
 * @param exports arrays and schemas that C holds and has not released
 * @param readers open {@link DeviceArrayReader}s
 * @param streams streams that C holds and has not released
 * @param tasks tasks of async streams that were announced, to us or by us, and are neither extracted nor closed
 * @param handlers handlers that a producer holds and has not released
 * @param producers async streams that a consumer holds: not released, or with a task that was not extracted
 * @param queues open {@link DeviceStream}s that were created here
 * @param events events of ours that somebody holds: a handle, an array, or a wait
 * @param waits waits for events that are not over, also those of queued copies for the end of what they read; as long
 *     as it is not zero, something may be released without anybody's doing
 */
public record ResourceCounters(long buffers, long bufferBytes, long arrays, long exports, long readers, long streams,
    long tasks, long handlers,
    long producers, long queues, long events, long waits) {
  /** What is held now. */
  public static ResourceCounters now() {
    Counts.Held held = Counts.held();
    return new ResourceCounters(
        Counts.BUFFERS.sum(),
        Counts.BUFFER_BYTES.sum(),
        Counts.ARRAYS.sum(),
        held.exports,
        Counts.READERS.sum(),
        held.streams,
        Counts.TASKS.sum(),
        held.handlers,
        held.producers,
        Counts.QUEUES.sum(),
        Counts.EVENTS.sum(),
        Counts.WAITS.sum());
  }

  /**
   * Registers a bean, {@code org.arbalest:type=ResourceCounters}, that says what is held, in the platform's MBean
   * server. Closed by its caller, who takes it out again.
   *
   * @throws IllegalStateException if it is registered already
   * @throws UnsupportedOperationException if the JDK's module {@code java.management} is not there
   */
  public static MXBeanRegistration registerMXBean() {
    return Management.register("ResourceCounters", "", new ResourceCountersBean(), ResourceCountersMXBean.class);
  }

  /** Whether nothing is held. */
  public boolean isZero() {
    return equals(new ResourceCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  }

  /** What is held now and was not held then, or the reverse where a number is negative. */
  public ResourceCounters since(ResourceCounters earlier) {
    return new ResourceCounters(
        buffers - earlier.buffers,
        bufferBytes - earlier.bufferBytes,
        arrays - earlier.arrays,
        exports - earlier.exports,
        readers - earlier.readers,
        streams - earlier.streams,
        tasks - earlier.tasks,
        handlers - earlier.handlers,
        producers - earlier.producers,
        queues - earlier.queues,
        events - earlier.events,
        waits - earlier.waits);
  }
}
