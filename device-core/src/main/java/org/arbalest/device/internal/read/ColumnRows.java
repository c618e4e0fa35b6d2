// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.util.List;
import java.util.Objects;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.types.Extension.Other;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/**
 * The range of rows of a column in its array, and the access to its child columns. {@link ColumnImpl} reads the values.
 */
public abstract sealed class ColumnRows implements Column permits ColumnTimes {
  /** The number of characters of a value that an error displays. */
  private static final int SHOWN_TEXT = 40;

  final DeviceArrayImpl array;
  final Field field;

  /**
   * The address of the struct. Its memory is valid only while the handle is open, so the caller holds a reference to
   * the array when it reads the struct.
   */
  final long struct;

  final long offset;
  final long length;

  /** The parent column, for the path; null for the column of a whole array. */
  final @Nullable ColumnRows above;

  /** Whether the buffers were readable when this column was created, which is the usual case. */
  private final boolean wasReadable;

  /**
   * Whether the buffers are readable now. It is volatile, so that a thread that reads {@code true} also sees the
   * completed data.
   */
  private volatile boolean readable;

  ColumnRows(DeviceArrayImpl array, Field field, long struct, long offset, long length, @Nullable ColumnRows above) {
    this.array = array;
    this.field = field;
    this.struct = struct;
    this.offset = offset;
    this.length = length;
    this.above = above;
    this.wasReadable = array.isReadable();
  }

  ColumnRows(ColumnRows of, long offset, long length) {
    this.array = of.array;
    this.field = of.field;
    this.struct = of.struct;
    this.offset = offset;
    this.length = length;
    this.above = of.above;
    this.wasReadable = of.wasReadable || of.readable;
  }

  @Override
  public Field field() {
    return field;
  }

  @Override
  public String name() {
    return field.name();
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Column column(int index) {
    int count = fields().size();
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          describe() + " has " + DeviceArrayImpl.counted(count, "column") + ", counted from 0, and no column " + index);
    }
    return childAt(index);
  }

  @Override
  public Column column(String name) {
    Objects.requireNonNull(name, "name");
    List<Field> fields = fields();
    int position = FieldNames.position(fields, name);
    return childAt(position >= 0 ? position : FieldNames.find(fields, name, this::named)); // the latter throws
  }

  private List<Field> fields() {
    if (field.type() instanceof StructType struct) return struct.fields();
    if (field.type() instanceof UnionType union) return union.fields();
    throw new IllegalArgumentException(describe() + " is neither a struct nor a union, and has no columns");
  }

  @Override
  public Column items() {
    Layout.Shape shape = Layout.of(field).shape;
    if (shape != Layout.Shape.LIST && shape != Layout.Shape.LIST_VIEW && shape != Layout.Shape.FIXED_LIST)
      throw new IllegalArgumentException(describe() + " is not a list and has no items");
    return childAt(0);
  }

  @Override
  public ColumnImpl dictionary() {
    Ownership owner = array.share();
    try {
      Field dictionary = Layout.of(field).dictionary;
      if (dictionary == null) throw new IllegalArgumentException(describe() + " is not dictionary-encoded");
      return whole(dictionary, RawArrowArray.dictionary(struct), owner);
    } finally {
      owner.release();
    }
  }

  @Override
  public Column indices() {
    Ownership owner = array.share();
    try {
      if (!(field.type() instanceof DictionaryType encoded))
        throw new IllegalArgumentException(describe() + " is not dictionary-encoded");
      Field indices = Field.of(field.name(), encoded.index()).withNullable(field.isNullable());
      return new ColumnImpl(array, owner, indices, struct, offset, length, above);
    } finally {
      owner.release();
    }
  }

  /**
   * Returns a child by its position in the type. A child of a struct or a sparse union has the rows of this column
   * (ARR-10, ARR-11).
   */
  ColumnImpl childAt(int index) {
    Ownership owner = array.share();
    try {
      Layout layout = Layout.of(field);
      Objects.checkIndex(index, layout.children.length);
      Field child = layout.children[index];
      long node = RawArrowArray.child(struct, index);
      if (!layout.shape.sharesRows()) return whole(child, node, owner);
      return new ColumnImpl(array, owner, child, node, RawArrowArray.offset(node) + offset, length, this);
    } finally {
      owner.release();
    }
  }

  private ColumnImpl whole(Field below, long node, Ownership held) {
    return new ColumnImpl(array, held, below, node, RawArrowArray.offset(node), RawArrowArray.length(node), this);
  }

  @Override
  public int bufferCount() {
    Ownership owner = array.share();
    try {
      return Math.toIntExact(RawArrowArray.nBuffers(struct));
    } finally {
      owner.release();
    }
  }

  @Override
  public long bufferAddress(int index) {
    Ownership owner = array.share();
    try {
      int count = Math.toIntExact(RawArrowArray.nBuffers(struct));
      if (index < 0 || index >= count) {
        throw new IndexOutOfBoundsException(describe() + " has " + DeviceArrayImpl.counted(count, "buffer")
            + ", counted from 0, and no buffer " + index);
      }
      return RawArrowArray.buffer(struct, index);
    } finally {
      owner.release();
    }
  }

  @Override
  public long offset() {
    return offset;
  }

  /** Returns the handle from which this column is borrowed. */
  public final DeviceArrayImpl array() {
    return array;
  }

  /**
   * Throws unless the row exists. The JIT recognizes {@code checkIndex} and moves it out of loops. This method
   * therefore calls it, and only replaces its exception.
   */
  final void checkRow(long row) {
    try {
      Objects.checkIndex(row, length);
    } catch (IndexOutOfBoundsException _) {
      throw isBeyond(row);
    }
  }

  /** Returns the exception for a row that does not exist; the message names the column. */
  public final IndexOutOfBoundsException isBeyond(long row) {
    return new IndexOutOfBoundsException(
        describe() + " has " + DeviceArrayImpl.counted(length, "row") + ", counted from 0, and no row " + row);
  }

  /** Returns the exception for a byte that a value does not have. */
  public final IndexOutOfBoundsException isBeyondValue(long row, long index, long size) {
    return new IndexOutOfBoundsException(
        describe() + ", row " + row + ": has " + DeviceArrayImpl.counted(size, "byte")
            + ", counted from 0, and no byte " + index);
  }

  final void checkReadable() {
    array.checkOpen();
    if (!wasReadable) checkReadableByNow();
  }

  private void checkReadableByNow() {
    if (readable) return;
    readable = array.isReadable();
    if (readable) return;
    if (array.device().isCpuAccessible()) {
      throw new IllegalStateException(describe() + " is not ready: its array on " + array.device()
          + " has an event that has not completed; wait with array.synchronize(), or use array.onReady() to learn "
          + "when it has completed");
    }
    String remedy = array.device().isOpaque() ? "" : ": copy it with copyTo(Devices.cpu())";
    throw new DeviceException(Errno.ENOSYS,
        describe() + " is on " + array.device() + ", whose memory the CPU cannot read" + remedy);
  }

  /**
   * Returns the exception for an invalid offset or index of the producer; {@code at} counts from the start of the
   * buffers.
   */
  final DeviceException malformed(long at, String what) {
    return DeviceException.invalid("column \"" + path() + "\", row " + (at - offset) + ": " + what);
  }

  /** Returns the exception for a text that is no finite number, in a column of numbers as text. */
  final ArithmeticException isNoDecimal(long at, String text) {
    String shown = text.length() > SHOWN_TEXT ? text.substring(0, SHOWN_TEXT) + "…" : text;
    return new ArithmeticException("column \"" + path() + "\", row " + (at - offset) + ": \"" + shown
        + "\" cannot be read as a decimal; getString reads it, and getDouble reads NaN and the infinities");
  }

  /** Returns the path: the names of the ancestors and of this column. */
  private String path() {
    if (above == null) return field.name();
    String own = above.field.type() instanceof DictionaryType ? MalformedException.DICTIONARY : field.name();
    String path = above.path();
    return path.isEmpty() ? own : path + "." + own;
  }

  /**
   * Returns the exception for a getter that does not read the type; the message lists the getters that do. For a
   * dictionary or runs it names the encoded column, because the caller used that one.
   */
  final RuntimeException cannot(String what) {
    if (above != null
        && (above.field.type() instanceof DictionaryType || above.field.type() instanceof RunEndEncodedType))
      return above.cannot(what);
    return cannot(what, field.extension() instanceof Other other ? other.mismatch() : null);
  }

  /** Returns the exception for a getter that does not read the type, with a reason. */
  final RuntimeException cannot(String what, @Nullable String why) {
    String column = "column \"" + path() + "\" of type " + TypeNames.of(field) + " cannot be read as " + what;
    return new IllegalArgumentException(column + (why == null ? "" : ": " + why) + "; " + Getters.text(field));
  }

  /** Returns the name of the column without its type, because the type of a struct may be long. */
  final String named() {
    String path = path();
    return path.isEmpty() ? describe() : "column \"" + path + "\"";
  }

  final String describe() {
    String path = path();
    if (!path.isEmpty()) return "column \"" + path + "\" of type " + TypeNames.of(field);
    return field.type() instanceof StructType ? "the batch" : "the array of type " + TypeNames.of(field);
  }

  /** Returns a description of the column without its values. */
  final String title() {
    return field + ", length " + length;
  }

  /** Returns {@link #title} and the first values, if these can be read without a wait. */
  @Override
  public String toString() {
    return title() + ValueText.firstValues((ColumnImpl) this);
  }
}
