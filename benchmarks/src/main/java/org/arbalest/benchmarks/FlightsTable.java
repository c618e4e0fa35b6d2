// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;

/** A DuckDB table of 400,000 flights in memory. */
final class FlightsTable {
  /** The query of all columns. */
  static final String QUERY = "SELECT * FROM flights";

  private FlightsTable() {}

  /** Returns the statement that creates the table. */
  static String create() throws URISyntaxException {
    Path file = Path.of(
        Objects.requireNonNull(FlightsTable.class.getResource("/org/arbalest/samples/flights-400k.parquet")).toURI());
    return "CREATE TABLE flights AS SELECT * FROM read_parquet('" + file.toString().replace("'", "''") + "')";
  }
}
