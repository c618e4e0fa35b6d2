// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * A task that the CPU runs when a queue reaches it. Work behind it in the queue waits. The task makes no call of the
 * runtime and throws nothing.
 *
 * <p>A runtime that calls C functions gets one of the two function addresses and {@link #userData}. Any other backend
 * calls {@link #run}. The first call counts; later calls do nothing. A call also does nothing after core has abandoned
 * the task, for example after a failure of the device.
 */
public interface HostTask {
  /** Runs the task. */
  void run();

  /** Returns the value of {@code userData} for the C function; never 0. */
  long userData();

  /** Returns the address of {@code void f(void* userData)}, such as {@code CUhostFn}. */
  long hostFunction();

  /**
   * Returns the address of {@code void f(void* stream, int status, void* userData)}, such as
   * {@code hipStreamCallback_t}.
   */
  long streamCallback();
}
