// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.types.Field;

/**
 * Checks with the driver that an array's buffers may be on the array's device (DEV-12, DEV-27). Main memory needs no
 * check.
 *
 * <p>If a check costs a call of the runtime, core calls it for only one buffer that is not empty, and from
 * {@link Validation#BOUNDS} on for all such buffers.
 */
final class BufferPlaces {
  private final DeviceDriver driver;
  private final boolean asksForEach;
  private final boolean areAll;
  private boolean hasAsked;

  private BufferPlaces(DeviceDriver driver, boolean areAll) {
    this.driver = driver;
    this.asksForEach = driver.checksEachBuffer();
    this.areAll = areAll;
  }

  /**
   * Checks an array whose structure is valid.
   *
   * @throws MalformedException with the path of the field, if a buffer is on another device
   */
  static void check(Device device, Field field, long array, Validation level) {
    if (DeviceImpl.unwrap(device).isCpu() || device.isOpaque()) return;
    boolean areAll = level.compareTo(Validation.BOUNDS) >= 0;
    new BufferPlaces(DeviceImpl.unwrap(device).driver(), areAll).check(Layout.of(field), array);
  }

  private void check(Layout layout, long array) {
    // the last buffer contains sizes, in main memory
    long count = RawArrowArray.nBuffers(array) - (layout.shape == Layout.Shape.VIEW ? 1 : 0);
    for (long i = 0; i < count && !isEnough(); i++) {
      long address = RawArrowArray.buffer(array, i);
      if (address != 0 && (asksForEach || isNeeded(layout.shape, i, array))) check(i, address);
    }
    for (int i = 0; i < layout.children.length && !isEnough(); i++) {
      try {
        check(layout.children[i].layout, RawArrowArray.child(array, i));
      } catch (MalformedException e) {
        throw e.under(layout.children[i].name());
      }
    }
    if (layout.dictionary == null || isEnough()) return;
    try {
      check(layout.dictionary.layout, RawArrowArray.dictionary(array));
    } catch (MalformedException e) {
      throw e.under(MalformedException.DICTIONARY);
    }
  }

  private boolean isEnough() {
    return hasAsked && !asksForEach && !areAll;
  }

  /**
   * Returns whether a buffer certainly contains data. The address of an empty buffer may be anywhere. The amount of
   * text is unknown.
   */
  private static boolean isNeeded(Layout.Shape shape, long buffer, long array) {
    if (RawArrowArray.length(array) == 0) return false;
    return switch (shape) {
      case VARIABLE, VIEW -> buffer < 2;
      default -> true;
    };
  }

  private void check(long index, long address) {
    hasAsked = true;
    try {
      driver.checkBuffer(address);
    } catch (DeviceException e) {
      if (e.errno() != Errno.EINVAL) throw e;
      throw new MalformedException("buffers[" + index + "]: " + e.getMessage());
    }
  }
}
