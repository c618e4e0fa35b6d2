package org.arbalest.device.internal.stream;

import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.NestedType.MapType;
import org.arbalest.device.NestedType.StructType;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.Malformed;
import org.jspecify.annotations.Nullable;

/** Whether arrays are what their stream is of, which C reads them as (STR-08, STR-12). */
public final class StreamCheck {
  /** What C takes from the stream's schema without looking: what the schema promises, an array has to promise as well. */
  private static final long PROMISES = ArrowSchemaStruct.FLAG_DICTIONARY_ORDERED | ArrowSchemaStruct.FLAG_MAP_KEYS_SORTED;

  private final Field field;
  private final DeviceType deviceType;

  /** The last field of which all arrays fit; set by any thread, and only compared. */
  private Field fitting;

  public StreamCheck(Field field, DeviceType deviceType) {
    this.field = Objects.requireNonNull(field, "field");
    this.deviceType = Objects.requireNonNull(deviceType, "deviceType");
    this.fitting = field;
  }

  /** An array that is not what its stream is of is an error; it stays the caller's. */
  public void check(DeviceArray array) {
    String wrong = mismatch(array);
    if (wrong != null) throw DeviceException.invalid(wrong);
  }

  /** The same for a handle that is spent, whose memory the caller holds. */
  public void checkSpent(DeviceArray array) {
    String wrong = mismatch(array, false);
    if (wrong != null) throw DeviceException.invalid(wrong);
  }

  /** What is wrong with an array; null if nothing is. */
  @Nullable String mismatch(DeviceArray array) {
    return mismatch(array, true);
  }

  @SuppressWarnings("ReferenceEquality") // the same in most cases, which is then known at once
  private @Nullable String mismatch(DeviceArray array, boolean isOpen) {
    if (!array.device().type().equals(deviceType)) return "a stream of " + deviceType + " arrays gave one on " + array.device();
    Field given = array.field();
    if (given == field || given == fitting) return null;
    Ownership held = isOpen ? DeviceArrayImpl.unwrap(array).share() : null;
    try {
      if (fits(field, given, DeviceArrayImpl.unwrap(array).struct(), false)) fitting = given;
      return null;
    } catch (Malformed e) {
      return e.toDeviceException("a stream gave an array of another type: ").getMessage();
    } finally {
      if (held != null) held.release();
    }
  }

  /** Whether all arrays of a field fit; false if only those do that, as this one, have no nulls. Throws {@link Malformed} if this one does not. */
  private static boolean fits(Field field, Field given, long struct, boolean isEntry) {
    Layout layout = Layout.of(field);
    Layout own = Layout.of(given);
    boolean isType = layout.format.equals(own.format) && layout.children.length == own.children.length && (layout.dictionary == null) == (own.dictionary == null);
    if (!isType || (field.flags() & ~given.flags() & PROMISES) != 0) throw differs(field, given);
    boolean all = field.isNullable() || !given.isNullable();
    if (!all && layout.shape.hasValidity && ArrowArrayStruct.nullCount(struct) != 0 && ArrowArrayStruct.buffer(struct, 0) != 0) {
      long nulls = ArrowArrayStruct.nullCount(struct);
      throw new Malformed("the stream's is not nullable, \"" + field + "\", but the array's is, \"" + given + "\", with " + (nulls < 0 ? "nobody knows how many" : nulls) + " nulls");
    }
    boolean isNamed = field.type() instanceof StructType && !isEntry;
    for (int i = 0; i < layout.children.length; i++) {
      FieldImpl child = layout.children[i];
      if (isNamed && !child.name().equals(own.children[i].name())) {
        throw new Malformed("field " + i + " of the stream's is \"" + child + "\", of the array's \"" + own.children[i] + "\"");
      }
      all &= below(child, own.children[i], ArrowArrayStruct.child(struct, i), field.type() instanceof MapType, child.name());
    }
    if (layout.dictionary != null && own.dictionary != null) {
      all &= below(layout.dictionary, own.dictionary, ArrowArrayStruct.dictionary(struct), false, Malformed.DICTIONARY);
    }
    return all;
  }

  private static boolean below(Field field, Field given, long struct, boolean isEntry, String name) {
    try {
      return fits(field, given, struct, isEntry);
    } catch (Malformed e) {
      throw e.under(name);
    }
  }

  private static Malformed differs(Field field, Field given) {
    return new Malformed("the stream's is \"" + field + "\", the array's \"" + given + "\"");
  }
}
