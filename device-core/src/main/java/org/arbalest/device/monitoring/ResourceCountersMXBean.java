// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

/**
 * What this process holds, as {@link ResourceCounters#now} says, for a monitor. {@link ResourceCounters#registerMXBean}
 * registers it. Each attribute is of the moment that it is read.
 */
public interface ResourceCountersMXBean {
  /** See {@link ResourceCounters#buffers}. */
  long getBuffers();

  /** See {@link ResourceCounters#bufferBytes}. */
  long getBufferBytes();

  /** See {@link ResourceCounters#arrays}. */
  long getArrays();

  /** See {@link ResourceCounters#exports}. */
  long getExports();

  /** See {@link ResourceCounters#readers}. */
  long getReaders();

  /** See {@link ResourceCounters#streams}. */
  long getStreams();

  /** See {@link ResourceCounters#tasks}. */
  long getTasks();

  /** See {@link ResourceCounters#handlers}. */
  long getHandlers();

  /** See {@link ResourceCounters#producers}. */
  long getProducers();

  /** See {@link ResourceCounters#queues}. */
  long getQueues();

  /** See {@link ResourceCounters#events}. */
  long getEvents();

  /** See {@link ResourceCounters#waits}. */
  long getWaits();
}
