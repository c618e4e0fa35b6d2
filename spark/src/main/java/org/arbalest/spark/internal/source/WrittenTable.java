// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A table whose schema Spark has not inferred: that of a write, of {@code .schema(…)}, or of Spark's catalog. Spark
 * does not say which one it is. The table accepts no writes: Spark would reject two of the four save modes. Without
 * them, it calls {@link ArbalestProvider#createRelation}.
 *
 * @param given the schema of the written DataFrame, the one that the user has given, or the one in the catalog
 */
record WrittenTable(SourceOptions options, StructType given) implements SupportsRead {
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
    return Set.of(TableCapability.BATCH_READ);
  }

  @Override
  public String toString() {
    return name();
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap ofQuery) {
    OpenedSource source = OpenedSource.open(options);
    if (source.type().equals(given)) return new ArbalestScanBuilder(source);
    throw new UnsupportedOperationException(
        options.source() + " has a schema of its own, so format(\"arbalest\") cannot read with .schema(" + given.toDDL()
            + "); omit it, and cast columns in the query");
  }
}
