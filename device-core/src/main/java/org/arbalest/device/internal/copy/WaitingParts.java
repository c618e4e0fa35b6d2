// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.List;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.RecordedArrays;
import org.arbalest.device.spi.ArrayBridge;

/** The memory of arrays that wait to be joined. See {@link ArrayBridge#letWait} and {@link ArrayBridge#join}. */
public final class WaitingParts {
  /** The size in bytes below which {@link #FEW} parts become one, because each has a cost besides its rows. */
  private static final long SMALL = 4 << 10;

  private static final int FEW = 16;

  private WaitingParts() {}

  /** Frees what the last part keeps without need, as far as there is memory for the copies. */
  public static <A extends DeviceArray> void letWait(List<A> parts) {
    A last = parts.getLast();
    DeviceArrayImpl array = DeviceArrayImpl.unwrap(last);
    DeviceArray copy = ArrayConcat.withoutSpare(array, array, false);
    if (copy != null) {
      parts.set(parts.size() - 1, DeviceArrayImpl.like(last, copy));
      last.close();
    }
    int count = parts.size();
    if (count > 1 && ArrayConcat.repeatDictionaries(
        DeviceArrayImpl.unwrap(parts.get(count - 2)), DeviceArrayImpl.unwrap(parts.get(count - 1))))
      joinSmall(parts.subList(count - 2, count));
    boolean mayContinue = true;
    while (mayContinue && parts.size() >= FEW && areSmall(parts.subList(parts.size() - FEW, parts.size())))
      mayContinue = joinSmall(parts.subList(parts.size() - FEW, parts.size()));
  }

  /** Returns an array of the rows of all parts, which the caller closes. The parts stay open. */
  public static <A extends DeviceArray> A join(List<A> parts) {
    try {
      return DeviceArray.concat(parts);
    } catch (DeviceException e) {
      throw new DeviceException(e.errno(), "rebatch cannot join the rows of " + parts.size() + " batches: "
          + e.getMessage(), e);
    }
  }

  private static boolean areSmall(List<? extends DeviceArray> parts) {
    for (DeviceArray part : parts.reversed()) {
      DeviceArrayImpl array = DeviceArrayImpl.unwrap(part);
      if (!array.isMemoryCpuAccessible() || RecordedArrays.bytes(array) >= SMALL) return false;
    }
    return true;
  }

  private static <A extends DeviceArray> boolean joinSmall(List<A> small) {
    A joined;
    try {
      joined = ArrayConcat.concatAgain(small);
    } catch (DeviceException | OutOfMemoryError _) { // the parts stay as they are; joining all reports the error
      return false;
    }
    small.forEach(DeviceArray::close);
    small.clear();
    small.add(joined);
    return true;
  }
}
