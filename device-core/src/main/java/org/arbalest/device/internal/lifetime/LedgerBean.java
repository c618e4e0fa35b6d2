// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import org.arbalest.device.monitoring.Ledger;
import org.arbalest.device.monitoring.LedgerMXBean;

/** The ledger for a monitor. */
public final class LedgerBean implements LedgerMXBean {
  @Override
  public long getBuffers() {
    return Ledger.now().buffers();
  }

  @Override
  public long getBufferBytes() {
    return Ledger.now().bufferBytes();
  }

  @Override
  public long getArrays() {
    return Ledger.now().arrays();
  }

  @Override
  public long getExports() {
    return Ledger.now().exports();
  }

  @Override
  public long getReaders() {
    return Ledger.now().readers();
  }

  @Override
  public long getStreams() {
    return Ledger.now().streams();
  }

  @Override
  public long getTasks() {
    return Ledger.now().tasks();
  }

  @Override
  public long getHandlers() {
    return Ledger.now().handlers();
  }

  @Override
  public long getProducers() {
    return Ledger.now().producers();
  }

  @Override
  public long getQueues() {
    return Ledger.now().queues();
  }

  @Override
  public long getEvents() {
    return Ledger.now().events();
  }

  @Override
  public long getWaits() {
    return Ledger.now().waits();
  }
}
