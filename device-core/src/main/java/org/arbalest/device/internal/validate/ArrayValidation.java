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

/** Validates arrays that are held already; see {@link Validation}. */
public final class ArrayValidation {
  private ArrayValidation() {}

  /** See {@link DeviceArray#validate}. */
  public static void validate(DeviceArrayImpl array, Validation level) {
    Objects.requireNonNull(level, "level");
    Ownership owner = array.share();
    try {
      if (level == Validation.NONE) return;
      Structure.validate(array.field(), array.struct(owner));
      owner.checkBuffers(array.field(), array.struct(owner), level);
      if (level == Validation.FULL) validateContent(array, owner);
    } finally {
      owner.release();
    }
  }

  /**
   * An array that was just imported, with its structure validated if the level says so; one whose content is refused is
   * closed (ARR-18).
   */
  public static DeviceArray imported(DeviceArray array, Validation level) {
    if (level != Validation.FULL) return array;
    try {
      Ownership owner = DeviceArrayImpl.unwrap(array).share();
      try {
        validateContent(DeviceArrayImpl.unwrap(array), owner);
      } finally {
        owner.release();
      }
      return array;
    } catch (Throwable t) {
      array.close();
      throw t;
    }
  }

  private static void validateContent(DeviceArrayImpl array, Ownership owner) {
    Recording.OfArray event = Recording.aValidation();
    try {
      check(array, owner, array.field(), false);
    } catch (MalformedException e) {
      throw e.toException();
    }
    if (event != null) RecordedArrays.describe(event, array, owner);
  }

  /**
   * Whether an array has nulls only where another field may have some, which is of the same type; otherwise throws
   * {@link MalformedException}. Waits for the array's event.
   */
  public static void checkNulls(DeviceArrayImpl array, Ownership owner, Field field) {
    check(array, owner, field, true);
  }

  private static void check(DeviceArrayImpl array, Ownership owner, Field field, boolean nullsOnly) {
    EventPoint event = owner.event();
    if (event != null) {
      SyncEventImpl.synchronize(event, owner);
    } else if (owner.syncEvent() != 0) {
      DeviceImpl.unwrap(array.device()).driver(); // says that nobody knows the device
    }
    try (HostBuffers buffers = new HostBuffers(array.device(), owner, owner.isCpuAccessible())) {
      new Content(buffers, owner, nullsOnly).check(Rows.of(array, owner, field));
    }
  }
}
