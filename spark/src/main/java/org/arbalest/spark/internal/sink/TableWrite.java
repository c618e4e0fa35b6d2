// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.sink;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.arbalest.spark.internal.columns.ArrowTypes;

/**
 * A job that writes a DataFrame into a table. Its tasks write into a staging table. The driver moves the rows into the
 * table when all tasks have ended. If the job fails, the table has the rows that it had before.
 */
final class TableWrite implements BatchWrite {
  private final Staging staging;
  private final StructType type;
  private final boolean isOverwrite;

  /** Whether the staging table exists. */
  private final AtomicBoolean isCreated = new AtomicBoolean();

  TableWrite(Staging staging, StructType type, boolean isOverwrite) {
    this.staging = staging;
    this.type = type;
    this.isOverwrite = isOverwrite;
  }

  @Override
  public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
    try {
      staging.create(ArrowTypes.of(type));
    } catch (RuntimeException e) {
      throw staging.named("prepare a write into", e);
    }
    isCreated.set(true);
    SQLConf conf = SQLConf.get();
    return new TaskWriter.Factory(staging, type, positive(conf.arrowMaxRecordsPerBatch(), Integer.MAX_VALUE),
        positive(conf.arrowMaxBytesPerBatch(), Long.MAX_VALUE));
  }

  /** Returns a limit; a setting that is not positive sets none. */
  private static <T extends Number> T positive(T limit, T none) {
    return limit.longValue() > 0 ? limit : none;
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    var attempts = new ArrayList<Long>();
    long rows = 0;
    for (WriterCommitMessage each : messages) {
      var written = (TaskWriter.Written) each;
      if (written.rows() > 0) attempts.add(written.attempt());
      rows += written.rows();
    }
    try {
      staging.move(List.copyOf(attempts), rows, isOverwrite);
    } catch (RuntimeException e) {
      throw staging.named(staging.targets() == null ? "create" : isOverwrite ? "overwrite" : "append to", e);
    }
    isCreated.set(false);
  }

  /** Drops the staging table. Tasks that still run fail at their next batch. */
  @Override
  public void abort(WriterCommitMessage[] messages) {
    if (isCreated.compareAndSet(true, false)) staging.drop();
  }

  @Override
  public String toString() {
    return (isOverwrite ? "overwrite " : "append to ") + staging;
  }
}
