// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;

/** 400,000 flights, as a table of DuckDB's, in memory. */
final class FlightsTable {
  /** All of its columns. */
  static final String QUERY = "SELECT * FROM flights";

  private FlightsTable() {}

  /** What makes the table. */
  static String create() throws URISyntaxException {
    Path file = Path.of(
        Objects.requireNonNull(FlightsTable.class.getResource("/org/arbalest/samples/flights-400k.parquet")).toURI());
    return "CREATE TABLE flights AS SELECT * FROM read_parquet('" + file.toString().replace("'", "''") + "')";
  }
}
