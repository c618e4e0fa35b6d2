// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.Locale;

/** The isolation of a transaction from others; {@code adbc.h} defines each level. */
public enum AdbcIsolation {
  /** The default of the database or the driver. */
  DEFAULT,
  /** The transaction sees changes of others before they are committed. */
  READ_UNCOMMITTED,
  /** The transaction sees only committed changes. */
  READ_COMMITTED,
  /** Rows that the transaction has read do not change. */
  REPEATABLE_READ,
  /** All reads see the state of one time. */
  SNAPSHOT,
  /** The result is as if the transactions ran one after another. */
  SERIALIZABLE,
  /** The result is as if the operations ran one after another. */
  LINEARIZABLE;

  /** Returns the value in {@code adbc.h}. */
  public String value() {
    return "adbc.connection.transaction.isolation." + name().toLowerCase(Locale.ROOT);
  }
}
