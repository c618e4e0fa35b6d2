// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * A callback for the end of an event, completed or failed. The driver does not report which of the two: core queries
 * the event itself, and queries again while the driver gives no answer (DEV-24).
 *
 * <p>A runtime that calls C functions gets one of the two function addresses and {@link #userData}, so that a backend
 * needs no upcall of its own. Any other backend calls {@link #complete}. The first call counts; later calls do nothing.
 *
 * <p>The call may come from any thread, also from a thread that must not call the runtime. It may come before
 * {@link DeviceDriver#onComplete} returns.
 */
public interface Completion {
  /**
   * Reports that the event has completed or failed. It does not throw, does not block and calls no application code:
   * dependent actions run on the library's own threads.
   */
  void complete();

  /**
   * Reports that the event was recorded into a graph, where the runtime says so only once (DEV-60). The event is never
   * reported as complete.
   */
  default void captured() {
    complete();
  }

  /** Returns the value of {@code userData} for the C function; never 0. */
  long userData();

  /** Returns the address of {@code void f(void* userData)}, such as {@code CUhostFn}. */
  long hostFunction();

  /**
   * Returns the address of {@code void f(void*, int, void* userData)}, the type that {@code clSetEventCallback} and
   * {@code hipStreamAddCallback} take.
   */
  long eventCallback();
}
