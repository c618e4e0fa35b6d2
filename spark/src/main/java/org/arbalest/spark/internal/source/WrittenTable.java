// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.arbalest.spark.AdbcSource;
import org.arbalest.spark.internal.sink.AdbcSink;

/**
 * A table whose schema Spark has not inferred. Spark writes such a table. It also makes one for {@code .schema(…)} and
 * for a table of its catalog, because it does not say whether it reads or writes.
 *
 * @param given the schema of the written DataFrame, the one that the user has given, or the one in the catalog
 */
record WrittenTable(SourceOptions options, StructType given) implements SupportsRead, SupportsWrite {
  @Override
  public String name() {
    return "arbalest " + options.source();
  }

  @Override
  @SuppressWarnings("deprecation") // its successor, columns(), calls it by default
  public StructType schema() {
    return given;
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.TRUNCATE,
        TableCapability.ACCEPT_ANY_SCHEMA);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap ofQuery) {
    OpenedSource source = OpenedSource.open(options);
    if (source.type().equals(given)) return new ArbalestScanBuilder(source);
    throw new UnsupportedOperationException(
        options.source() + " has a schema of its own, so format(\"arbalest\") cannot read with .schema(" + given.toDDL()
            + "); omit it, and cast columns in the query");
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    if (options.source().equals(AdbcSource.class.getName())) return new AdbcSink(options.all(), info);
    throw new UnsupportedOperationException("format(\"arbalest\") writes only with option(\"source\", \""
        + AdbcSource.class.getName() + "\"), and " + options.source() + " is read-only");
  }
}
