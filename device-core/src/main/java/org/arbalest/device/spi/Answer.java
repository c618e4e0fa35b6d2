// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * What a runtime's code says of that which the runtime was asked for: an event, a wait, memory to be given back
 * (DEV-24).
 */
public enum Answer {
  /** It is done. */
  DONE,

  /** It is not done yet. */
  NOT_READY,

  /**
   * Nothing: the call was refused, for now, whatever became of the work; as on a thread that may not call the runtime,
   * or while a graph is captured. It is neither done nor failed: hold on to what it uses, and ask again.
   */
  CANNOT_TELL,

  /**
   * Nothing: the event was recorded in a graph, which runs whenever and how often somebody launches it. To ask may have
   * cost its owner the capture.
   */
  CAPTURED,

  /** It has failed, and every later call will say so. */
  FAILED,

  /**
   * A code that the backend does not know: ask again at once, and if it comes again, that counts as {@link #FAILED}.
   */
  UNKNOWN,

  /** The runtime is no more, since the process ends: there is nothing left to do, to give back, or to tell. */
  GONE;

  /**
   * Whether it says nothing of what was asked for, which is neither done nor failed: {@link #CANNOT_TELL},
   * {@link #CAPTURED}.
   */
  public boolean saysNothing() {
    return this == CANNOT_TELL || this == CAPTURED;
  }
}
