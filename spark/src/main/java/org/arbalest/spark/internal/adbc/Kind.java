// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

/** The kind of a column, which determines what its database decides exactly as Spark. */
enum Kind {
  INTEGER, DECIMAL, BOOLEAN, DATE, TIMESTAMP,
  /** Text, of which only equality is the same everywhere. */
  TEXT,
  /** Any other type: only its nulls are known. Floats belong here, because databases differ in NaN. */
  OTHER;

  boolean hasEquality() {
    return this != OTHER;
  }
}
