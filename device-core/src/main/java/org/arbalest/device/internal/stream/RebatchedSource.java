// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.copy.WaitingParts;
import org.jspecify.annotations.Nullable;

/**
 * The rows of another reader in arrays of one length. Large arrays are cut into slices, and small ones joined by one
 * copy. This source owns that reader.
 */
final class RebatchedSource<A extends DeviceArray> implements DeviceArrayReader.Source<A> {
  private volatile DeviceArrayReader<A> reader; // volatile, because any thread may cancel
  private final long rows;

  /** The arrays that were pulled and not returned yet. Without the last, they have fewer rows than an array needs. */
  private final List<A> parts = new ArrayList<>();

  /** The number of rows in the parts. It is unsigned, because the length of the last part may be any long. */
  private long pending;

  /** The failure of the reader, which follows the rows that were pulled before it. */
  private @Nullable Throwable failure;

  private boolean isAtEnd;

  /** Whether the parts keep no memory without need. */
  private boolean areChecked;

  RebatchedSource(DeviceArrayReader<A> reader, long rows) {
    this.reader = reader;
    this.rows = rows;
  }

  @Override
  public @Nullable A next() {
    while (Long.compareUnsigned(pending, rows) < 0 && !isAtEnd) {
      letWait();
      pull();
    }
    if (pending != 0) return joined(cut());
    if (failure instanceof Error e) throw e;
    if (failure instanceof RuntimeException e) throw e;
    return null;
  }

  private void letWait() {
    if (areChecked || parts.isEmpty()) return;
    WaitingParts.letWait(parts);
    areChecked = true;
  }

  private void pull() {
    A array;
    try {
      array = reader.next();
    } catch (RuntimeException | Error e) {
      failure = e;
      isAtEnd = true;
      return;
    }
    if (array == null) {
      isAtEnd = true;
    } else if (array.length() == 0) {
      array.close();
    } else {
      parts.add(array);
      areChecked = false;
      pending += array.length();
    }
  }

  /** Takes the parts of the next array. The rest of the last part stays. */
  private List<A> cut() {
    long rest = Long.compareUnsigned(pending, rows) > 0 ? pending - rows : 0;
    if (rest > 0) {
      A last = parts.getLast();
      A behind = DeviceArrayImpl.like(last, last.slice(last.length() - rest, rest));
      A before;
      try {
        before = DeviceArrayImpl.like(last, last.slice(0, last.length() - rest));
      } catch (Throwable t) {
        behind.close();
        throw t;
      }
      parts.set(parts.size() - 1, before);
      last.close();
      parts.add(behind);
      areChecked = false;
    }
    List<A> first = parts.subList(0, rest > 0 ? parts.size() - 1 : parts.size());
    List<A> taken = new ArrayList<>(first);
    first.clear();
    pending = rest;
    return taken;
  }

  private static <A extends DeviceArray> A joined(List<A> taken) {
    if (taken.size() == 1) return taken.getFirst();
    try {
      return WaitingParts.join(taken);
    } finally {
      taken.forEach(DeviceArray::close); // throws nothing, see Ownership.freeArray
    }
  }

  @Override
  public boolean select(int... columns) {
    reader = DeviceArrayReaderImpl.batches(reader);
    reader = DeviceArrayReaderImpl.select(reader, columns);
    return true;
  }

  @Override
  public void cancel() {
    reader.close();
  }

  @Override
  public void close() {
    parts.forEach(DeviceArray::close);
    parts.clear();
    reader.close();
  }
}
