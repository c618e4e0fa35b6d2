// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.Locale;

/** How far a transaction is kept apart from others; what each means, {@code adbc.h} says. */
public enum AdbcIsolation {
  /** What the database, or the driver, does by itself. */
  DEFAULT,
  /** Others' changes are seen before they are committed. */
  READ_UNCOMMITTED,
  /** What is read was committed. */
  READ_COMMITTED,
  /** What was read stays as it was. */
  REPEATABLE_READ,
  /** All that is read is as at one time. */
  SNAPSHOT,
  /** As if transactions came one after another. */
  SERIALIZABLE,
  /** As if operations came one after another. */
  LINEARIZABLE;

  /** As {@code adbc.h} writes it. */
  public String value() {
    return "adbc.connection.transaction.isolation." + name().toLowerCase(Locale.ROOT);
  }
}
