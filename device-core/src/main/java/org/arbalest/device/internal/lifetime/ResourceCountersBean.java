// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import org.arbalest.device.monitoring.ResourceCounters;
import org.arbalest.device.monitoring.ResourceCountersMXBean;

/** The resource counters as a bean. */
public final class ResourceCountersBean implements ResourceCountersMXBean {
  @Override
  public long getBuffers() {
    return ResourceCounters.now().buffers();
  }

  @Override
  public long getBufferBytes() {
    return ResourceCounters.now().bufferBytes();
  }

  @Override
  public long getArrays() {
    return ResourceCounters.now().arrays();
  }

  @Override
  public long getExports() {
    return ResourceCounters.now().exports();
  }

  @Override
  public long getReaders() {
    return ResourceCounters.now().readers();
  }

  @Override
  public long getStreams() {
    return ResourceCounters.now().streams();
  }

  @Override
  public long getTasks() {
    return ResourceCounters.now().tasks();
  }

  @Override
  public long getHandlers() {
    return ResourceCounters.now().handlers();
  }

  @Override
  public long getProducers() {
    return ResourceCounters.now().producers();
  }

  @Override
  public long getQueues() {
    return ResourceCounters.now().queues();
  }

  @Override
  public long getEvents() {
    return ResourceCounters.now().events();
  }

  @Override
  public long getWaits() {
    return ResourceCounters.now().waits();
  }

  @Override
  public long getFiles() {
    return ResourceCounters.now().files();
  }
}
