// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

/**
 * The resource counters of this process, as {@link ResourceCounters#now} returns them, for a monitor.
 * {@link ResourceCounters#registerMXBean} registers the bean. Each attribute has the value at the moment of its read.
 */
public interface ResourceCountersMXBean {
  /** Returns {@link ResourceCounters#buffers}. */
  long getBuffers();

  /** Returns {@link ResourceCounters#bufferBytes}. */
  long getBufferBytes();

  /** Returns {@link ResourceCounters#arrays}. */
  long getArrays();

  /** Returns {@link ResourceCounters#exports}. */
  long getExports();

  /** Returns {@link ResourceCounters#readers}. */
  long getReaders();

  /** Returns {@link ResourceCounters#streams}. */
  long getStreams();

  /** Returns {@link ResourceCounters#tasks}. */
  long getTasks();

  /** Returns {@link ResourceCounters#handlers}. */
  long getHandlers();

  /** Returns {@link ResourceCounters#producers}. */
  long getProducers();

  /** Returns {@link ResourceCounters#queues}. */
  long getQueues();

  /** Returns {@link ResourceCounters#events}. */
  long getEvents();

  /** Returns {@link ResourceCounters#waits}. */
  long getWaits();

  /** Returns {@link ResourceCounters#files}. */
  long getFiles();
}
