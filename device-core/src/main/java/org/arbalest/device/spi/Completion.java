// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * Somebody who wants to be told, once, that an event has completed or failed. Which of the two, core asks by itself,
 * and goes on asking if the driver cannot tell (DEV-24).
 *
 * <p>A runtime that calls back into C gets one of the two function addresses and {@link #userData}, so that a backend
 * needs no upcall of its own; any other calls {@link #complete}. The call may come from any thread, also from one that
 * may not call the runtime, and before {@link DeviceDriver#onComplete} has returned. A second one does nothing.
 */
public interface Completion {
  /** Tells. Does not throw, does not block, and calls nobody's code: what follows runs on a thread of ours. */
  void complete();

  /**
   * Likewise, that the runtime has said of the event, once, that it was recorded in a graph (DEV-60): nothing will be
   * told of it any more.
   */
  default void captured() {
    complete();
  }

  /** What to pass to the C function; never 0. */
  long userData();

  /** The address of {@code void f(void* userData)}, such as {@code CUhostFn}. */
  long hostFunction();

  /**
   * The address of {@code void f(void*, int, void* userData)}, such as {@code clSetEventCallback} and
   * {@code hipStreamAddCallback} take.
   */
  long eventCallback();
}
