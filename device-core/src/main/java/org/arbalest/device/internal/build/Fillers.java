// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import org.arbalest.device.builders.ColumnBuilder;

/** Values that nobody reads, for whoever builds the fields of a struct that is null. */
public final class Fillers {
  private Fillers() {}

  /** Appends a null with all its parts, or where there may be none, whatever the builder writes in place of one. */
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
