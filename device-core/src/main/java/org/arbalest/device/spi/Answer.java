// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/** The meaning of a runtime's return code for a query, a wait or a release (DEV-24). */
public enum Answer {
  /** The work is done. */
  DONE,

  /** The work is not done yet. */
  NOT_READY,

  /**
   * No statement about the work: the runtime refuses the call for now. Examples: the calling thread must not call the
   * runtime, or a graph is being captured. The work is neither done nor failed. The caller keeps the memory that the
   * work uses, and queries again later.
   */
  CANNOT_TELL,

  /**
   * No statement about the work: the event was recorded into a graph. The graph can be launched at any time, and more
   * than once. The query itself may have invalidated the owner's capture.
   */
  CAPTURED,

  /** The work failed, and every later call reports the same. */
  FAILED,

  /**
   * A code that the backend does not know. The caller makes the call again, and counts it as {@link #FAILED} after a
   * number of such answers. For {@link EventPoller} these are three answers in succession for one event, for
   * {@link LateCalls} five answers in total for one release. A driver has its own number for its other calls.
   */
  UNKNOWN,

  /** The runtime no longer exists, because the process ends. Nothing remains to be done, released or reported. */
  GONE;

  /**
   * Returns whether the answer is no statement about the work, which is then neither done nor failed:
   * {@link #CANNOT_TELL} or {@link #CAPTURED}.
   */
  public boolean saysNothing() {
    return this == CANNOT_TELL || this == CAPTURED;
  }
}
