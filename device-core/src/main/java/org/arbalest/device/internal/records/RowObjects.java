// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.AbstractList;
import java.util.Objects;
import java.util.RandomAccess;

/** The rows of a batch as objects, each made when it is asked for. */
final class RowObjects<T> extends AbstractList<T> implements RandomAccess {
  private final ValueReader reader;
  private final int size;

  RowObjects(ValueReader reader) {
    this.reader = reader;
    this.size = reader.column.arraySize();
  }

  @Override
  @SuppressWarnings("unchecked") // what the reader's plan makes
  public T get(int row) {
    Objects.checkIndex(row, size);
    try {
      return (T) Objects.requireNonNull(reader.get(row));
    } catch (Unreadable e) {
      throw e.inRow(row);
    } catch (IndexOutOfBoundsException e) {
      // of the class's constructor; iterators and streams would take it for the end
      throw new IllegalStateException("row " + row + " cannot be made: " + e.getMessage(), e);
    }
  }

  @Override
  public int size() {
    return size;
  }
}
