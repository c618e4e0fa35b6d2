// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * Something that the CPU does when a queue has come to it; what is behind it in the queue waits. It calls no runtime
 * and throws nothing.
 *
 * <p>A runtime that calls back into C gets one of the two function addresses and {@link #userData}; any other calls
 * {@link #run}. A second call does nothing, nor one that comes when core has given the task up, as with a device that
 * has failed.
 */
public interface HostTask {
  /** Does it. */
  void run();

  /** What to pass to the C function; never 0. */
  long userData();

  /** The address of {@code void f(void* userData)}, such as {@code CUhostFn}. */
  long hostFunction();

  /** The address of {@code void f(void* stream, int status, void* userData)}, such as {@code hipStreamCallback_t}. */
  long streamCallback();
}
