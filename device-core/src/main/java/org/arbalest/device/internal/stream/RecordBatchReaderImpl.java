// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.internal.array.RecordBatchImpl;
import org.arbalest.device.internal.convert.ArrayColumns;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Projection;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** A reader of arrays of structs. See {@link RecordBatchReader}. */
public final class RecordBatchReaderImpl extends DeviceArrayReaderImpl<RecordBatch> implements RecordBatchReader {
  RecordBatchReaderImpl(Field field, DeviceType deviceType, Source<RecordBatch> source, ReentrantLock pulls) {
    super(field, deviceType, source, pulls);
  }

  private RecordBatchReaderImpl(Source<RecordBatch> source, Field field, DeviceType deviceType, ReentrantLock pulls) {
    super(source, field, deviceType, pulls);
  }

  private RecordBatchReaderImpl(DeviceArrayReaderImpl<RecordBatch> before, Field field, boolean isWatched) {
    super(before, field, isWatched);
  }

  /** Creates the heir of a reader of structs. */
  @SuppressWarnings("unchecked") // its arrays are batches, see DeviceArrayImpl.of
  static RecordBatchReaderImpl heirOf(DeviceArrayReaderImpl<?> before) {
    return new RecordBatchReaderImpl((DeviceArrayReaderImpl<RecordBatch>) before, before.field, true);
  }

  /** Creates a reader of a source of record batches, which the reader closes. */
  public static RecordBatchReader of(Field field, DeviceType deviceType, Source<RecordBatch> source) {
    return new RecordBatchReaderImpl(field, deviceType, source, new ReentrantLock());
  }

  /** Creates a reader of a source of record batches, which the reader closes. */
  public static RecordBatchReader of(Schema schema, DeviceType deviceType, Source<RecordBatch> source) {
    return of(schema.asField(), deviceType, source);
  }

  /** Creates a reader of existing batches, and takes over the batches. They determine the device type. */
  public static RecordBatchReader of(Schema schema, List<RecordBatch> batches) {
    return ListSource.reader(schema, () -> null, batches);
  }

  /** Creates a reader of existing batches on a device type, and takes over the batches. */
  public static RecordBatchReader of(Schema schema, DeviceType deviceType, List<RecordBatch> batches) {
    return ListSource.reader(schema, () -> Objects.requireNonNull(deviceType, "deviceType"), batches);
  }

  @Override
  RecordBatchReaderImpl another(Source<RecordBatch> derived, Field made, DeviceType type) {
    return new RecordBatchReaderImpl(derived, made, type, new ReentrantLock());
  }

  @Override
  RecordBatchReaderImpl heir(Field made, boolean isWatched) {
    return new RecordBatchReaderImpl(this, made, isWatched);
  }

  /** Passes a reader's source to a new reader, which an export owns from now on. */
  public static RecordBatchReader exported(RecordBatchReader reader) {
    RecordBatchReaderImpl made = (RecordBatchReaderImpl) reader;
    return made.consume(() -> {
      RecordBatchReaderImpl heir = made.heir(made.field, true);
      made.source.handOn(EXPORT, heir.source);
      return heir;
    });
  }

  @Override
  public Schema schema() {
    return FieldImpl.unwrap(field).schema();
  }

  @Override
  public RecordBatchReader convertTo(Field requested) {
    return (RecordBatchReader) super.convertTo(requested);
  }

  @Override
  public RecordBatchReader filter(Function<? super RecordBatch, Selection> selection) {
    return (RecordBatchReader) super.filter(selection);
  }

  @Override
  public RecordBatchReader rebatch(long rows) {
    return (RecordBatchReader) super.rebatch(rows);
  }

  @Override
  public RecordBatchReader copyTo(MemoryManager target, DeviceStream stream, int ahead) {
    return (RecordBatchReader) super.copyTo(target, stream, ahead);
  }

  @Override
  public RecordBatchReader pushDownNulls() {
    return (RecordBatchReader) derive("pushDownNulls", field, deviceType,
        heir -> new ConvertedSource<>(heir, RecordBatch::pushDownNulls));
  }

  @Override
  public RecordBatchReader select(String... paths) {
    return select(Projection.of(schema().asField(), "the stream", paths));
  }

  @Override
  public RecordBatchReader select(int... indices) {
    return select(Projection.of(schema().asField(), indices));
  }

  private RecordBatchReader select(Projection projection) {
    return consume(() -> {
      RecordBatchReader pushed = pulled ? null : push(projection);
      return pushed != null ? pushed
          : (RecordBatchReader) derived("select", projection.result, deviceType, heir -> selected(heir, projection));
    });
  }

  private static Source<RecordBatch> selected(DeviceArrayReader<RecordBatch> reader, Projection projection) {
    return new ConvertedSource<>(reader, batch -> ArrayColumns.select(RecordBatchImpl.unwrap(batch), projection));
  }

  /** Asks the source for only the used columns. Returns null if it makes all columns. */
  private @Nullable RecordBatchReader push(Projection projection) {
    int[] used = projection.used();
    if (used.length == 0) return null; // not every source can make arrays without columns
    Field made = Projection.of(field, used).result;
    Projection rest = projection.ofUsed(made);
    RecordBatchReaderImpl heir = heir(made, rest == null);
    RecordBatchReaderImpl result = rest == null ? heir : another(selected(heir, rest), rest.result, deviceType);
    if (!source.select(used)) {
      source.checkOpen();
      return null;
    }
    if (result == heir) source.handOn("select" + USE_THE_RESULT, heir.source);
    else source.handOn("select" + USE_THE_RESULT, heir.source, result.source);
    return result;
  }
}
