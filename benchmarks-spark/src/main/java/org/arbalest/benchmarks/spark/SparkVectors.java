// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.spark;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * A source of Spark's own vectors, which each executor has in memory. It shows the lowest cost of a columnar scan in
 * Spark, since Spark reads its cache by rows. It always returns all columns, even if a query needs fewer.
 */
public final class SparkVectors implements TableProvider {
  private static final StructType TYPE =
      new StructType().add("id", "bigint", false).add("key", "int", false).add("value", "double", false).add("other",
          "bigint", true);

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return TYPE;
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new VectorsTable(new CaseInsensitiveStringMap(properties).getLong("rows", 0));
  }

  private record VectorsTable(long rows) implements SupportsRead {
    @Override
    public String name() {
      return "vectors";
    }

    @Override
    @SuppressWarnings("deprecation") // Spark calls this method
    public StructType schema() {
      return TYPE;
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      return () -> new VectorsScan(rows);
    }
  }

  private record VectorsScan(long rows) implements Scan, Batch {
    @Override
    public StructType readSchema() {
      return TYPE;
    }

    @Override
    public Batch toBatch() {
      return this;
    }

    @Override
    public ColumnarSupportMode columnarSupportMode() {
      return ColumnarSupportMode.SUPPORTED;
    }

    @Override
    public InputPartition[] planInputPartitions() {
      return IntStream.range(0, KeptBatches.PARTITIONS).mapToObj(i -> new Part(rows, i)).toArray(InputPartition[]::new);
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
      return new Readers();
    }
  }

  private record Part(long rows, int number) implements InputPartition {}

  private record Readers() implements PartitionReaderFactory {
    @Override
    public boolean supportColumnarReads(InputPartition partition) {
      return true;
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
      throw new UnsupportedOperationException("cannot read rows: this source only has columns");
    }

    @Override
    public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
      var part = (Part) partition;
      return new Reader(KeptVectors.of(part.rows, part.number));
    }
  }

  /** A reader that does not close its batches, since the executor keeps them. */
  private static final class Reader implements PartitionReader<ColumnarBatch> {
    private final Iterator<ColumnarBatch> batches;

    Reader(List<ColumnarBatch> batches) {
      this.batches = batches.iterator();
    }

    @Override
    public boolean next() {
      return batches.hasNext();
    }

    @Override
    public ColumnarBatch get() {
      return batches.next();
    }

    @Override
    public void close() {}
  }
}
