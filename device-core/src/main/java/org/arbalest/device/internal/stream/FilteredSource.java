// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.Objects;
import java.util.function.Function;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.jspecify.annotations.Nullable;

/** The selected rows of another reader's arrays, without arrays that have none. This source owns that reader. */
final class FilteredSource<A extends DeviceArray> implements DeviceArrayReader.Source<A> {
  private final DeviceArrayReader<A> reader;
  private final Function<? super A, Selection> selection;

  FilteredSource(DeviceArrayReader<A> reader, Function<? super A, Selection> selection) {
    this.reader = reader;
    this.selection = selection;
  }

  @Override
  public @Nullable A next() {
    while (true) {
      try (A array = reader.next()) {
        if (array == null) return null;
        Selection rows = Objects.requireNonNull(selection.apply(array), "the selection of a batch is null");
        if (rows.count() > 0 || rows.length() != array.length()) // throws for other lengths
          return DeviceArrayImpl.like(array, array.filter(rows));
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
