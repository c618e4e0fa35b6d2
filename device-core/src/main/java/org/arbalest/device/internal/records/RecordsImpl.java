// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.read.Codecs;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.objects.ObjectShape;
import org.arbalest.device.objects.ObjectType;
import org.arbalest.device.objects.Records;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** The mapping of one class, which is derived once, with its plans for the recent schemas. See {@link Records}. */
public final class RecordsImpl<T> implements Records<T> {
  private static final ClassValue<RecordsImpl<?>> KNOWN =
      new ClassValue<>() {
        @Override
        protected RecordsImpl<?> computeValue(Class<?> type) {
          return new RecordsImpl<>(type, Shaped.of(type), false);
        }
      };

  private final Class<T> type;
  private final boolean isStrict;
  private final Recent<ReadPlan> reading = new Recent<>();
  private final Recent<RowWriter> writing = new Recent<>();
  private volatile Shaped shaped;
  private volatile @Nullable Standard standard;

  /** The default columns, with the change count of the codecs at that time. */
  private record Standard(Schema schema, int codecs) {}

  /**
   * The shape of the class, with the change count of the codecs at that time. A provider may use another class for a
   * component once a codec is registered.
   */
  private record Shaped(ObjectShape shape, int codecs) {
    static Shaped of(Class<?> type) {
      int codecs = Codecs.changes(); // first, because the codecs may change during the next call
      return new Shaped(Shapes.of(type), codecs);
    }
  }

  private RecordsImpl(Class<T> type, Shaped shaped, boolean isStrict) {
    this.type = type;
    this.shaped = shaped;
    this.isStrict = isStrict;
  }

  @SuppressWarnings("unchecked") // computeValue puts the same class
  public static <T> RecordsImpl<T> of(Class<T> type) {
    return (RecordsImpl<T>) KNOWN.get(Objects.requireNonNull(type, "type"));
  }

  @Override
  public Schema schema() {
    int codecs = Codecs.changes();
    Standard known = standard;
    if (known == null || known.codecs != codecs)
      standard = known = new Standard(new StandardTypes().schema(type, shape()), codecs);
    return known.schema;
  }

  @Override
  public Records<T> strict() {
    return isStrict ? this : new RecordsImpl<>(type, shaped, true);
  }

  @Override
  public List<T> rows(RecordBatch batch) {
    ColumnImpl column = ColumnImpl.of(DeviceArrayImpl.unwrap(Objects.requireNonNull(batch, "batch")));
    if (!(column.field().type() instanceof StructType))
      throw new IllegalArgumentException("only a record batch, which is a struct, has rows; this is " + column.field());
    return new RowObjects<>(reading.get(column.field(), this::plan).bind(column));
  }

  private ReadPlan plan(Field batch) {
    Mismatches mismatches = new Mismatches();
    ReadPlan plan = RowPlan.of(rowType(), shape(), batch.type().children(), new ReadPlans(isStrict), mismatches);
    mismatches.check(type);
    return plan;
  }

  @Override
  public RecordBatch build(MemoryManager memory, Collection<? extends T> rows) {
    return build(memory, schema(), rows, true);
  }

  @Override
  public RecordBatch build(MemoryManager memory, Schema columns, Collection<? extends T> rows) {
    return build(memory, Objects.requireNonNull(columns, "schema"), rows, false);
  }

  /** @param isDefault whether the columns are the default ones, which may get other parameters of their types */
  private RecordBatch build(MemoryManager memory, Schema columns, Collection<? extends T> rows, boolean isDefault) {
    Objects.requireNonNull(memory, "memory");
    @Nullable Object[] all = Objects.requireNonNull(rows, "rows").toArray();
    for (int row = 0; row < all.length; row++) {
      if (all[row] == null) throw new IllegalArgumentException("row " + row + " of a batch is null");
    }
    RowWriter writer = writing.get(columns.asField(), this::writer);
    if (isDefault && writer.isByValue())
      writer = writing.get(writer.exact(columns.asField(), all, all.length), this::writer);
    try (BatchBuilder builder = BatchBuilder.of(memory, all.length)) {
      builder.metadata(columns.metadata());
      writer.writeAll(all, builder);
      return builder.build();
    }
  }

  private RowWriter writer(Field batch) {
    Mismatches mismatches = new Mismatches();
    RowWriter writer = new WritePlans().row(rowType(), shape(), batch.type().children(), mismatches);
    mismatches.check(type);
    return writer;
  }

  private ObjectShape shape() {
    Shaped known = shaped;
    if (known.codecs != Codecs.changes()) shaped = known = Shaped.of(type);
    return known.shape;
  }

  private ObjectType rowType() {
    return ObjectType.of(type).withNullable(false);
  }
}
