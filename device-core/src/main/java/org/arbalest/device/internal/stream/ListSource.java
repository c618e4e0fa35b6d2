// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.jspecify.annotations.Nullable;

/** Arrays that are there already, one after the other; those that nobody pulled are closed with it. */
final class ListSource implements DeviceArrayReader.Source {
  private final Iterator<DeviceArray> rest;

  private ListSource(List<DeviceArray> batches) {
    this.rest = batches.iterator();
  }

  /** Takes the arrays over; one that is closed, or not what the stream is of, is refused, and all are still the caller's. */
  static ListSource of(StreamCheck check, List<DeviceArray> batches) {
    List<DeviceArray> all = List.copyOf(Objects.requireNonNull(batches, "batches"));
    for (int i = 0; i < all.size(); i++) {
      if (!all.get(i).isOpen()) throw new IllegalStateException("batch " + i + " was closed or exported");
      String wrong = check.mismatch(all.get(i));
      if (wrong != null) throw DeviceException.invalid("batch " + i + ": " + wrong);
    }
    return new ListSource(all);
  }

  @Override
  public @Nullable DeviceArray next() {
    return rest.hasNext() ? rest.next() : null;
  }

  @Override
  public void close() {
    rest.forEachRemaining(DeviceArray::close);
  }
}
