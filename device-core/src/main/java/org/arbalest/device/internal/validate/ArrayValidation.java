// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.types.Field;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.array.RecordedArrays;
import org.arbalest.device.internal.array.Structure;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.SyncEventImpl;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.validate.Content.Extent;

/** Validates arrays, see {@link Validation}. */
public final class ArrayValidation {
  private ArrayValidation() {}

  /** Validates an array. See {@link DeviceArray#validate}. */
  public static void validate(DeviceArrayImpl array, Validation level) {
    validate(array, level, true);
  }

  /** Validates an array without the values of its dictionaries, which were validated before. */
  public static void validateWithoutDictionaries(DeviceArrayImpl array, Validation level) {
    validate(array, level, false);
  }

  private static void validate(DeviceArrayImpl array, Validation level, boolean hasDictionaries) {
    Objects.requireNonNull(level, "level");
    Ownership owner = array.share();
    try {
      if (level == Validation.NONE) return;
      Structure.validate(array.field(), array.struct(owner));
      owner.checkBuffers(array.field(), array.struct(owner), level);
      if (hasContent(level)) validateContent(array, owner, level, hasDictionaries);
    } catch (MalformedException e) {
      throw e.toException();
    } finally {
      owner.release();
    }
  }

  /**
   * Returns an array that was just imported, after a check of its content if the level has one. The import has checked
   * the structure.
   *
   * <p>If the content is invalid, closes the array (ARR-18).
   */
  public static DeviceArray imported(DeviceArray array, Validation level) {
    if (!hasContent(level)) return array;
    try {
      Ownership owner = DeviceArrayImpl.unwrap(array).share();
      try {
        validateContent(DeviceArrayImpl.unwrap(array), owner, level, true);
      } finally {
        owner.release();
      }
      return array;
    } catch (Throwable t) {
      array.close();
      throw t;
    }
  }

  /** Returns whether a level checks the content of buffers. */
  private static boolean hasContent(Validation level) {
    return level == Validation.BOUNDS || level == Validation.FULL;
  }

  private static void validateContent(DeviceArrayImpl array, Ownership owner, Validation level,
      boolean hasDictionaries) {
    Recording.OfArray event = Recording.aValidation();
    try {
      Extent extent = level == Validation.BOUNDS ? Extent.BOUNDS : Extent.ALL;
      check(array, owner, array.field(), extent, hasDictionaries);
    } catch (MalformedException e) {
      throw e.toException();
    }
    if (event != null) RecordedArrays.describe(event, array, owner);
  }

  /**
   * Checks that the array has nulls only where {@code field}, another field of the same type, is nullable. Otherwise
   * throws {@link MalformedException}.
   *
   * <p>Blocks until the event of the array completes.
   */
  public static void checkNulls(DeviceArrayImpl array, Ownership owner, Field field) {
    check(array, owner, field, Extent.NULLS, true);
  }

  private static void check(DeviceArrayImpl array, Ownership owner, Field field, Extent extent,
      boolean hasDictionaries) {
    EventPoint event = owner.event();
    if (event != null) {
      SyncEventImpl.synchronize(event, owner);
    } else if (owner.syncEvent() != 0) {
      DeviceImpl.unwrap(array.device()).driver(); // throws, because the device is unknown and nothing can wait
    }
    try (HostBuffers buffers = new HostBuffers(array.device(), owner, owner.isCpuAccessible())) {
      new Content(buffers, owner, extent, hasDictionaries).check(Rows.of(array, owner, field));
    }
  }
}
