// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table of a source with its options. */
final class ArbalestTable implements SupportsRead {
  private final SourceOptions options;
  private final OpenedSource source;

  ArbalestTable(SourceOptions options) {
    this.options = options;
    this.source = OpenedSource.open(options);
  }

  SourceOptions options() {
    return options;
  }

  @Override
  public String name() {
    return "arbalest " + options.source();
  }

  @Override
  @SuppressWarnings("deprecation") // its successor, columns(), calls it by default
  public StructType schema() {
    return source.type();
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(TableCapability.BATCH_READ);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap ofQuery) {
    return new ArbalestScanBuilder(source);
  }
}
