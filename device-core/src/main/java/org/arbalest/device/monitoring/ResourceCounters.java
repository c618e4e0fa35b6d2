// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import com.google.errorprone.annotations.CheckReturnValue;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.ResourceCountersBean;
import org.arbalest.device.internal.management.Management;

/**
 * The resource counters of this process at one moment. All are zero after everything that the application created or
 * imported has been released.
 *
 * <p>The counters are for tests and diagnosis. They are exact only while no other thread works.
 *
 * @param buffers open {@link DeviceBuffer}s, including those of arrays
 * @param bufferBytes their size in bytes
 * @param arrays arrays whose memory a handle or native code references
 * @param exports arrays and schemas that native code has imported and not released
 * @param readers open {@link DeviceArrayReader}s
 * @param streams C streams, each an {@code ArrowArrayStream} or {@code ArrowDeviceArrayStream}, that native code has
 *     imported and not released
 * @param tasks announced tasks of async streams, imported or exported, that are neither extracted nor closed
 * @param handlers handlers that a producer has and has not released
 * @param producers async streams that a consumer has: not released, or with a task that was not extracted
 * @param queues open {@link DeviceStream}s that this process created: queues of a device's work
 * @param events events of the library that a handle, an array or a wait references
 * @param waits pending waits for events, including those that keep a queued copy's memory until the copy has read it.
 *     While it is not zero, the library may still release resources by itself
 * @param files open files, streams and writers of {@code device-ipc}
 */
@CheckReturnValue
public record ResourceCounters(long buffers, long bufferBytes, long arrays, long exports, long readers, long streams,
    long tasks, long handlers,
    long producers, long queues, long events, long waits, long files) {
  /** Returns the current counters. */
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
        Counts.WAITS.sum(),
        Counts.FILES.sum());
  }

  /**
   * Registers a bean, {@code org.arbalest:type=ResourceCounters}, with the current counters, in the platform's MBean
   * server. The caller closes the registration, which removes the bean.
   *
   * @throws IllegalStateException if the bean is registered already
   * @throws UnsupportedOperationException if the JDK's module {@code java.management} is absent
   */
  public static MXBeanRegistration registerMXBean() {
    return Management.register("ResourceCounters", "", new ResourceCountersBean(), ResourceCountersMXBean.class);
  }

  /** Returns whether all counters are zero. */
  public boolean isZero() {
    return equals(new ResourceCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  }

  /**
   * Returns the difference from earlier counters. A positive number counts resources that were created since then; a
   * negative number counts resources that were released.
   */
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
        waits - earlier.waits,
        files - earlier.files);
  }
}
