package org.arbalest.device.internal.build;

import java.util.List;
import java.util.Objects;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.LargeUtf8Type;
import org.arbalest.device.FlatType.Utf8Type;

/** Text and binary with offsets. */
final class VariableBuilder extends ColumnBuilderImpl {
  private final OffsetsBuilder offsets;
  private final GrowableBuffer data;
  private final boolean isText;

  VariableBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field);
    this.isText = field.type() instanceof Utf8Type || field.type() instanceof LargeUtf8Type;
    this.offsets = new OffsetsBuilder(memory, field, rows);
    this.data = new GrowableBuffer(memory, rows);
  }

  @Override
  public ColumnBuilder append(String value) {
    if (!isText) throw doesNotFit("text");
    return write(utf8(value));
  }

  @Override
  public ColumnBuilder append(byte[] value) {
    Objects.requireNonNull(value, "value");
    if (isText) throw doesNotFit("bytes");
    return write(value);
  }

  /** Appends text as its bytes, or bytes. */
  ColumnBuilder write(byte[] bytes) {
    offsets.append(bytes.length);
    data.putBytes(bytes);
    validity.appendValid(1);
    return this;
  }

  @Override
  void writeNull() {
    offsets.append(0);
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(offsets.buffer(), data);
  }
}
