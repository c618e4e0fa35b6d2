// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.AbstractList;
import java.util.Objects;
import java.util.RandomAccess;

/** The rows of a batch as a list; each object is created when it is read. */
final class RowObjects<T> extends AbstractList<T> implements RandomAccess {
  private final ValueReader reader;
  private final int size;

  RowObjects(ValueReader reader) {
    this.reader = reader;
    this.size = reader.column.arraySize();
  }

  @Override
  @SuppressWarnings("unchecked") // the reader's plan creates this class
  public T get(int row) {
    Objects.checkIndex(row, size);
    try {
      return (T) Objects.requireNonNull(reader.get(row));
    } catch (Unreadable e) {
      throw e.inRow(row);
    } catch (IndexOutOfBoundsException e) {
      // the constructor of the class threw; iterators and streams would treat this exception as the end
      throw new IllegalStateException("row " + row + " cannot be made: " + e.getMessage(), e);
    }
  }

  @Override
  public int size() {
    return size;
  }
}
