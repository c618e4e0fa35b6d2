// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.Mismatch;
import org.arbalest.device.internal.validate.ArrayValidation;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.MapType;
import org.jspecify.annotations.Nullable;

/** The check that arrays fit the stream's schema, by which native code reads them (STR-08, STR-12). */
public final class StreamCheck {
  private static final String OF_ANOTHER_TYPE = "a stream returned an array of another type: ";

  private final Field field;
  private final DeviceType deviceType;

  /** The last field of which all arrays fit. Any thread may set it, and it is only compared. */
  private Field fitting;

  /**
   * The result of a check, as far as fields and structs show it. All arrays of a field fit, or at least this array
   * fits, or this array fits if its nulls are only where the stream allows them.
   */
  private enum Fit {
    ALL,
    THIS,
    IF_NULLS_DO;

    Fit and(Fit other) {
      return compareTo(other) < 0 ? other : this;
    }
  }

  /** Creates the check of a stream's arrays. */
  public StreamCheck(Field field, DeviceType deviceType) {
    this.field = Objects.requireNonNull(field, "field");
    this.deviceType = Objects.requireNonNull(deviceType, "deviceType");
    this.fitting = field;
  }

  Field field() {
    return field;
  }

  DeviceType deviceType() {
    return deviceType;
  }

  /**
   * Checks an array that a stream gave. The caller still owns the array.
   *
   * @throws DeviceException if the array does not fit the stream, or was closed
   */
  public void check(DeviceArray array) {
    if (!array.isOpen()) throw DeviceException.invalid("a stream returned an array that was closed or exported");
    checkPulled(array, null);
  }

  /** Checks an array whose handle is consumed and whose memory the caller holds. */
  public void checkConsumed(DeviceArray array, Ownership owner) {
    checkPulled(array, owner);
  }

  private void checkPulled(DeviceArray array, @Nullable Ownership consumed) {
    String elsewhere = elsewhere(array);
    if (elsewhere != null) throw DeviceException.invalid(elsewhere);
    try {
      requireFit(array, consumed);
    } catch (MalformedException e) {
      throw e.toDeviceException(OF_ANOTHER_TYPE);
    }
  }

  /**
   * Checks an array that the caller passed for a stream. Another type is a mistake in the call. Nulls that are not
   * allowed are bad data.
   */
  void checkGiven(DeviceArray array, String name) {
    String elsewhere = elsewhere(array);
    if (elsewhere != null) throw new IllegalArgumentException(name + ": " + elsewhere);
    try {
      requireFit(array, null);
    } catch (MalformedException e) {
      throw e.toException(name + ": " + OF_ANOTHER_TYPE);
    }
  }

  private @Nullable String elsewhere(DeviceArray array) {
    return array.device().type().equals(deviceType) ? null
        : "a stream of " + deviceType + " arrays returned one on " + array.device();
  }

  /** Throws {@link MalformedException} if the array does not fit, or {@link Mismatch} if only its type does not. */
  @SuppressWarnings("ReferenceEquality") // usually the same object, which is the fastest check
  private void requireFit(DeviceArray array, @Nullable Ownership consumed) {
    Field given = array.field();
    if (given == field || given == fitting) return;
    DeviceArrayImpl handle = DeviceArrayImpl.unwrap(array);
    Ownership owner = consumed == null ? handle.share() : consumed;
    try {
      long struct = handle.struct(owner);
      Fit fit = fits(field, given, struct, false).and(nulls(field, given, struct));
      if (fit == Fit.ALL) fitting = given;
      if (fit == Fit.IF_NULLS_DO) ArrayValidation.checkNulls(handle, owner, field);
    } finally {
      if (consumed == null) owner.release();
    }
  }

  /** Checks an array's type and the arrays below it. Throws {@link Mismatch} if they do not fit. */
  private static Fit fits(Field field, Field given, long struct, boolean isEntry) {
    Layout layout = Layout.of(field);
    Layout own = Layout.of(given);
    if (!layout.isLike(own)) throw new Mismatch("the stream's is \"" + field + "\", the array's \"" + given + "\"");
    if ((field.flags() & ~given.flags() & Layout.PROMISES) != 0) {
      throw new Mismatch("the stream's field \"" + field
          + "\" promises sorted keys or an ordered dictionary, but the array's field does not");
    }
    Fit fit = Fit.ALL;
    boolean isNamed = FieldNames.count(field.type()) && !isEntry;
    for (int i = 0; i < layout.children.length; i++) {
      FieldImpl child = layout.children[i];
      long node = RawArrowArray.child(struct, i);
      if (isNamed && !child.name().equals(own.children[i].name())) {
        throw new Mismatch(
            "field " + i + " of the stream's is \"" + child + "\", of the array's \"" + own.children[i] + "\"");
      }
      fit = fit.and(below(child, own.children[i], node, field.type() instanceof MapType, child.name()))
          .and(nulls(child, own.children[i], node));
    }
    if (layout.dictionary != null && own.dictionary != null) {
      // the values may be null, independent of the field (VAL-02)
      fit = fit.and(below(layout.dictionary, own.dictionary, RawArrowArray.dictionary(struct), false,
          MalformedException.DICTIONARY));
    }
    return fit;
  }

  private static Fit nulls(Field field, Field given, long struct) {
    if (field.isNullable() || !given.isNullable()) return Fit.ALL;
    boolean mayHaveSome = Layout.of(field).shape.hasValidity && RawArrowArray.nullCount(struct) != 0
        && RawArrowArray.buffer(struct, 0) != 0;
    return mayHaveSome ? Fit.IF_NULLS_DO : Fit.THIS;
  }

  private static Fit below(Field field, Field given, long struct, boolean isEntry, String name) {
    try {
      return fits(field, given, struct, isEntry);
    } catch (MalformedException e) {
      throw e.under(name);
    }
  }
}
