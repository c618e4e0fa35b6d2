// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.c.CImport;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The measured batch, made by each library: {@value #ROWS} rows of int64 columns with validity bitmaps. Each column has
 * no null or one null, since that changes arrow-java's import: it fills a new bitmap for a column without nulls, and
 * otherwise shares the imported one.
 */
final class Batches {
  static final int ROWS = 1024;

  private static final int NULL_ROW = 7;

  private Batches() {}

  /** Returns the library's batch, which the caller closes. */
  static RecordBatch ours(int columns, boolean nulls) {
    List<Field> fields = new ArrayList<>();
    List<ArrayData> data = new ArrayList<>();
    for (int column = 0; column < columns; column++) {
      fields.add(Field.of("column" + column, DataType.INT64));
      data.add(ArrayData.of(ROWS, nulls ? 1 : 0, List.of(validity(nulls), values(column))));
    }
    List<@Nullable DeviceBuffer> noValidity = new ArrayList<>();
    noValidity.add(null);
    return RecordBatch.of(Schema.of(fields), ArrayData.of(ROWS, 0, noValidity, data));
  }

  /** Exports and imports batches of many other types, so that the JIT cannot assume one type. */
  static void crossOthers() {
    MemorySegment array = Arena.global().allocate(ArrowArrayStruct.LAYOUT);
    MemorySegment schema = Arena.global().allocate(ArrowSchemaStruct.LAYOUT);
    Field text = Field.of("text", DataType.UTF8);
    List<DataType> types =
        List.of(
            DataType.BOOL, DataType.INT8, DataType.UINT32, DataType.FLOAT64, DataType.decimal128(20, 2),
            DataType.DATE32, DataType.UTF8, DataType.LARGE_UTF8,
            DataType.BINARY_VIEW, DataType.list(text), DataType.listView(text), DataType.fixedSizeList(text, 2),
            DataType.struct(text),
            DataType.denseUnion(text), DataType.dictionary(DataType.INT16, DataType.UTF8),
            DataType.runEndEncoded(DataType.INT32, text),
            DataType.map(text, Field.of("value", DataType.INT64)),
            DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC"));
    for (int i = 0; i < 2_000; i++) {
      try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), 0)) {
        for (int column = 0; column < 3; column++) {
          DataType type = types.get((i + 5 * column) % types.size());
          batch.column(Field.of("a", type).withMetadata(Metadata.of("number", String.valueOf(column))));
        }
        CData.exportArray(batch.build(), array, CExport.DATA.schemaTo(schema));
        CData.importArray(array, CImport.DATA.schema(schema)).close();
      }
    }
  }

  private static DeviceBuffer validity(boolean nulls) {
    DeviceBuffer bitmap = Devices.cpu().allocate(ROWS / Byte.SIZE);
    bitmap.segment().fill((byte) -1);
    if (nulls) bitmap.segment().set(JAVA_LONG, 0, ~(1L << NULL_ROW));
    return bitmap;
  }

  private static DeviceBuffer values(int column) {
    DeviceBuffer values = Devices.cpu().allocate((long) Long.BYTES * ROWS);
    for (int row = 0; row < ROWS; row++) values.segment().setAtIndex(JAVA_LONG, row, (long) column * row);
    return values;
  }

  /** Returns arrow-java's batch, which the caller closes. */
  static VectorSchemaRoot arrowJava(BufferAllocator allocator, int columns, boolean nulls) {
    VectorSchemaRoot root = VectorSchemaRoot.create(arrowJavaSchema(columns), allocator);
    fill(root, nulls);
    return root;
  }

  static org.apache.arrow.vector.types.pojo.Schema arrowJavaSchema(int columns) {
    List<org.apache.arrow.vector.types.pojo.Field> fields = new ArrayList<>();
    FieldType int64 = FieldType.nullable(new ArrowType.Int(Long.SIZE, true));
    for (int column = 0; column < columns; column++) {
      fields.add(new org.apache.arrow.vector.types.pojo.Field("column" + column, int64, null));
    }
    return new org.apache.arrow.vector.types.pojo.Schema(fields);
  }

  static void fill(VectorSchemaRoot root, boolean nulls) {
    for (int column = 0; column < root.getFieldVectors().size(); column++) {
      BigIntVector vector = (BigIntVector) root.getVector(column);
      vector.allocateNew(ROWS);
      for (int row = 0; row < ROWS; row++) vector.set(row, (long) column * row);
      if (nulls) vector.setNull(NULL_ROW);
    }
    root.setRowCount(ROWS);
  }
}
