// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.Objects;
import java.util.function.Function;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.columns.Selection;
import org.jspecify.annotations.Nullable;

/** The selected rows of another reader's arrays, without arrays that have none. This source owns that reader. */
final class FilteredSource implements DeviceArrayReader.Source {
  private final DeviceArrayReader reader;
  private final Function<? super DeviceArray, Selection> selection;

  FilteredSource(DeviceArrayReader reader, Function<? super DeviceArray, Selection> selection) {
    this.reader = reader;
    this.selection = selection;
  }

  @Override
  public @Nullable DeviceArray next() {
    while (true) {
      try (DeviceArray array = reader.next()) {
        if (array == null) return null;
        Selection rows = Objects.requireNonNull(selection.apply(array), "the selection of a batch is null");
        if (rows.count() > 0 || rows.length() != array.length()) return array.filter(rows); // throws for other lengths
      }
    }
  }

  @Override
  public void cancel() {
    reader.close();
  }

  @Override
  public void close() {
    reader.close();
  }
}
