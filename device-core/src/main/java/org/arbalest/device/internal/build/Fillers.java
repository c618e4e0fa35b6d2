// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import org.arbalest.device.builders.ColumnBuilder;

/** Values that no reader sees, for the fields of null structs. */
public final class Fillers {
  private Fillers() {}

  /** Appends a null with all its parts. A column that is not nullable gets the builder's filler. */
  public static void append(ColumnBuilder column) {
    ColumnBuilderImpl builder = (ColumnBuilderImpl) column;
    if (builder.isNullable()) {
      builder.appendNullWithParts();
    } else {
      builder.checkFillers(1);
      builder.appendFiller();
    }
  }
}
