// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

/**
 * What this process holds, as {@link Ledger#now} says, for a monitor. {@link Ledger#registerMXBean} registers it. Each attribute is of the moment that it is
 * read.
 */
public interface LedgerMXBean {
  /** See {@link Ledger#buffers}. */
  long getBuffers();

  /** See {@link Ledger#bufferBytes}. */
  long getBufferBytes();

  /** See {@link Ledger#arrays}. */
  long getArrays();

  /** See {@link Ledger#exports}. */
  long getExports();

  /** See {@link Ledger#readers}. */
  long getReaders();

  /** See {@link Ledger#streams}. */
  long getStreams();

  /** See {@link Ledger#tasks}. */
  long getTasks();

  /** See {@link Ledger#handlers}. */
  long getHandlers();

  /** See {@link Ledger#producers}. */
  long getProducers();

  /** See {@link Ledger#queues}. */
  long getQueues();

  /** See {@link Ledger#events}. */
  long getEvents();

  /** See {@link Ledger#waits}. */
  long getWaits();
}
