// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.impl.NullableStructWriter;
import org.apache.arrow.vector.complex.writer.BigIntWriter;
import org.apache.arrow.vector.complex.writer.Float8Writer;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures building a column of structs row by row, with three int64 and one float64; per row, with the column's part
 * of the finished batch. The builders of the fields, or arrow-java's writers, are either kept or looked up by name for
 * each value. Otherwise the class is like {@link AppendRows}, and runs after its warm-up.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(AppendStruct.ROWS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class AppendStruct {
  static final int ROWS = 100_000;

  private static final Field ORDER = Field.of("order",
      DataType.struct(Field.of("id", DataType.INT64), Field.of("customer", DataType.INT64),
          Field.of("quantity", DataType.INT64),
          Field.of("price", DataType.FLOAT64)));

  private final RootAllocator allocator = new RootAllocator();
  private AppendRows.Values values;

  /** Makes the values, and appends to columns of other types. */
  @Setup
  public void make() {
    values = new AppendRows.Values();
    values.make();
  }

  @TearDown
  public void close() {
    allocator.close();
  }

  private interface Append {
    void to(ColumnBuilder order, long[] numbers);
  }

  private void build(Append append) {
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), ROWS)) {
      append.to(batch.column(ORDER), values.numbers);
      try (RecordBatch built = batch.build()) {
        if (built.length() != ROWS) throw new AssertionError(built);
      }
    }
  }

  /** Keeps the builders of the fields in the library. */
  @Benchmark
  public void held() {
    build((order, numbers) -> {
      ColumnBuilder id = order.child("id");
      ColumnBuilder customer = order.child("customer");
      ColumnBuilder quantity = order.child("quantity");
      ColumnBuilder price = order.child("price");
      for (int i = 0; i < ROWS; i++) {
        id.append(i);
        customer.append(numbers[i]);
        quantity.append(numbers[i] & 63);
        price.append((double) numbers[i]);
        order.appendStruct();
      }
    });
  }

  /** Looks up the builders by name for each value in the library. */
  @Benchmark
  public void byName() {
    build((order, numbers) -> {
      for (int i = 0; i < ROWS; i++) {
        order.child("id").append(i);
        order.child("customer").append(numbers[i]);
        order.child("quantity").append(numbers[i] & 63);
        order.child("price").append((double) numbers[i]);
        order.appendStruct();
      }
    });
  }

  /** Keeps the writers of the fields in arrow-java. */
  @Benchmark
  public void heldArrowJava() {
    try (StructVector vector = StructVector.empty("order", allocator)) {
      NullableStructWriter writer = vector.getWriter();
      BigIntWriter id = writer.bigInt("id");
      BigIntWriter customer = writer.bigInt("customer");
      BigIntWriter quantity = writer.bigInt("quantity");
      Float8Writer price = writer.float8("price");
      for (int i = 0; i < ROWS; i++) {
        writer.setPosition(i);
        writer.start();
        id.writeBigInt(i);
        customer.writeBigInt(values.numbers[i]);
        quantity.writeBigInt(values.numbers[i] & 63);
        price.writeFloat8((double) values.numbers[i]);
        writer.end();
      }
      finish(vector);
    }
  }

  /** Looks up the writers by name for each value in arrow-java. */
  @Benchmark
  public void byNameArrowJava() {
    try (StructVector vector = StructVector.empty("order", allocator)) {
      NullableStructWriter writer = vector.getWriter();
      for (int i = 0; i < ROWS; i++) {
        writer.setPosition(i);
        writer.start();
        writer.bigInt("id").writeBigInt(i);
        writer.bigInt("customer").writeBigInt(values.numbers[i]);
        writer.bigInt("quantity").writeBigInt(values.numbers[i] & 63);
        writer.float8("price").writeFloat8((double) values.numbers[i]);
        writer.end();
      }
      finish(vector);
    }
  }

  /** Sets the vectors of the fields in arrow-java, without a writer. */
  @Benchmark
  public void vectorsArrowJava() {
    FieldType integers = FieldType.nullable(new ArrowType.Int(64, true));
    try (StructVector vector = StructVector.empty("order", allocator)) {
      BigIntVector id = vector.addOrGet("id", integers, BigIntVector.class);
      BigIntVector customer = vector.addOrGet("customer", integers, BigIntVector.class);
      BigIntVector quantity = vector.addOrGet("quantity", integers, BigIntVector.class);
      Float8Vector price =
          vector.addOrGet("price", FieldType.nullable(new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE)),
              Float8Vector.class);
      vector.setInitialCapacity(ROWS);
      vector.allocateNew();
      for (int i = 0; i < ROWS; i++) {
        id.setSafe(i, i);
        customer.setSafe(i, values.numbers[i]);
        quantity.setSafe(i, values.numbers[i] & 63);
        price.setSafe(i, (double) values.numbers[i]);
        vector.setIndexDefined(i);
      }
      finish(vector);
    }
  }

  private static void finish(StructVector vector) {
    vector.setValueCount(ROWS);
    if (vector.getNullCount() != 0 || vector.getChild("price").getValueCount() != ROWS)
      throw new AssertionError(vector);
  }
}
