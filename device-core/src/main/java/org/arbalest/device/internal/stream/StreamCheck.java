package org.arbalest.device.internal.stream;

import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** Whether arrays are what their stream is of. */
public final class StreamCheck {
  private StreamCheck() {}

  /** An array that is not what its stream is of is an error (STR-08); it stays the caller's. */
  public static void check(DeviceArray array, Field field, DeviceType deviceType) {
    String wrong = mismatch(array, field, deviceType);
    if (wrong != null) throw DeviceException.invalid(wrong);
  }

  /** What is wrong with it; null if nothing is. */
  static @Nullable String mismatch(DeviceArray array, Field field, DeviceType deviceType) {
    if (!array.device().type().equals(deviceType)) return "a stream of " + deviceType + " arrays gave one on " + array.device();
    if (!Layout.of(field).matches(Layout.of(array.field()))) return "a stream of " + field + " gave an array of " + array.field();
    return null;
  }
}
