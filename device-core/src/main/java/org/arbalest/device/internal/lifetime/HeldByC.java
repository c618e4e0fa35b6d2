// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import org.jspecify.annotations.Nullable;

/** An object that native code holds by the handle of a slot, for the resource counters. */
public interface HeldByC {
  /** The resource counter of an object. */
  enum Kind {
    EXPORT,
    STREAM,
    HANDLER,
    PRODUCER
  }

  /** Returns the object's kind; null while native code does not hold it and its slot is kept for reuse. */
  @Nullable
  Kind heldAs();
}
