// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import org.jspecify.annotations.Nullable;

/** What the ledger counts of that which C holds by the handle of a slot. */
public interface HeldByC {
  /** What the ledger counts it as. */
  enum Kind {
    EXPORT,
    STREAM,
    HANDLER,
    PRODUCER
  }

  /** What it is; null while nobody holds it, and its slot is kept for the next. */
  @Nullable
  Kind heldAs();
}
