package org.arbalest.device.internal.read;

import java.util.Objects;
import org.arbalest.device.Column;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.NestedType.StructType;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.TypeNames;

/** Which rows of which array a column is, and which columns are below it; {@link ColumnImpl} reads their values. */
public abstract sealed class ColumnRows implements Column permits ColumnImpl {
  final DeviceArrayImpl array;
  final Field field;
  final long struct;
  final long offset;
  final long length;

  /** Volatile, so that a thread that finds it sees what was waited for. */
  private volatile boolean readable;

  ColumnRows(DeviceArrayImpl array, Field field, long struct, long offset, long length) {
    this.array = array;
    this.field = field;
    this.struct = struct;
    this.offset = offset;
    this.length = length;
    this.readable = array.isReadable();
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
    if (!(field.type() instanceof StructType)) throw new IllegalArgumentException(describe() + " is not a struct and has no columns");
    return childAt(index);
  }

  @Override
  public Column column(String name) {
    Objects.requireNonNull(name, "name");
    if (!(field.type() instanceof StructType struct)) throw new IllegalArgumentException(describe() + " is not a struct and has no columns");
    return childAt(FieldNames.find(struct.fields(), name, this::describe));
  }

  @Override
  public Column items() {
    if (Layout.of(field).children.length != 1) throw new IllegalArgumentException(describe() + " is not a list and has no items");
    return childAt(0);
  }

  @Override
  public Column dictionary() {
    array.holder();
    Field dictionary = Layout.of(field).dictionary;
    if (dictionary == null) throw new IllegalArgumentException(describe() + " is not dictionary-encoded");
    return whole(array, dictionary, ArrowArrayStruct.dictionary(struct));
  }

  @Override
  public Column indices() {
    array.holder();
    if (!(field.type() instanceof DictionaryType encoded)) throw new IllegalArgumentException(describe() + " is not dictionary-encoded");
    return new ColumnImpl(array, Field.of(field.name(), encoded.index()).withNullable(field.isNullable()), struct, offset, length);
  }

  /** A child by its position in the type; one of a struct or a sparse union has this column's rows (ARR-10, ARR-11). */
  ColumnImpl childAt(int index) {
    array.holder();
    Objects.checkIndex(index, Layout.of(field).children.length);
    Layout layout = Layout.of(field);
    Field child = layout.children[index];
    long node = ArrowArrayStruct.child(struct, index);
    if (!layout.shape.sharesRows()) return whole(array, child, node);
    return new ColumnImpl(array, child, node, ArrowArrayStruct.offset(node) + offset, length);
  }

  private static ColumnImpl whole(DeviceArrayImpl array, Field field, long struct) {
    return new ColumnImpl(array, field, struct, ArrowArrayStruct.offset(struct), ArrowArrayStruct.length(struct));
  }

  /** Some of this column's rows, counted from the start of its buffers. */
  ColumnImpl range(long from, long count) {
    return new ColumnImpl(array, field, struct, offset + from, count);
  }

  @Override
  public int bufferCount() {
    array.holder();
    return Math.toIntExact(ArrowArrayStruct.nBuffers(struct));
  }

  @Override
  public long bufferAddress(int index) {
    return ArrowArrayStruct.buffer(struct, Objects.checkIndex(index, bufferCount()));
  }

  @Override
  public long offset() {
    return offset;
  }

  /** See {@link Ownership#dataSize}. */
  long dataSize() {
    return array.holder().dataSize(struct);
  }

  final void checkReadable() {
    array.holder();
    if (readable) return;
    readable = array.isReadable();
    if (!readable) {
      String why = array.device().isCpuAccessible() ? ", and has an event that must be waited for first" : ", whose memory the CPU cannot read";
      throw new DeviceException(Errno.ENOSYS, describe() + " is on " + array.device() + why);
    }
  }

  final String describe() {
    if (!field.name().isEmpty()) return "column \"" + field.name() + "\" of type " + TypeNames.of(field.type());
    return field.type() instanceof StructType ? "the batch" : "the array of type " + TypeNames.of(field.type());
  }

  @Override
  public String toString() {
    return field + ", length " + length;
  }
}
