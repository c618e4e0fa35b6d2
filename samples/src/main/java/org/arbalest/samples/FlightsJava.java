// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.arbalest.device.BatchBuilder;
import org.arbalest.device.Column;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.Devices;
import org.arbalest.device.Longs;
import org.arbalest.samples.adbc.AdbcStatement;
import org.arbalest.samples.adbc.DuckDbDriver;

/** The essence of {@code Flights.kt} in plain Java: DuckDB's columns are summed up here, and the result goes back to it. */
final class FlightsJava {
  private static final class Airport {
    long flights;
    long delay;
    long distance;
  }

  private FlightsJava() {}

  /** Prints the ten busiest airports of a Parquet file. */
  static void run(Path file) {
    try (var database = DuckDbDriver.load().open(Map.of("path", ":memory:"));
        var duckdb = database.connect().createStatement()) {
      Map<String, Airport> airports;
      String literal = file.toString().replace("'", "''");
      String select = "SELECT origin, delay::BIGINT AS delay, distance::BIGINT AS distance FROM read_parquet('" + literal + "')";
      String notNull = " WHERE origin IS NOT NULL AND delay IS NOT NULL AND distance IS NOT NULL";
      try (var flights = duckdb.query(select + notNull)) {
        airports = summarize(flights);
      }
      DeviceArray batch = toBatch(airports);
      duckdb.ingest("airports", DeviceArrayReader.of(batch.schema(), List.of(batch)));
      print(duckdb);
    }
  }

  private static Map<String, Airport> summarize(DeviceArrayReader flights) {
    var airports = new TreeMap<String, Airport>();
    for (DeviceArray next = flights.next(); next != null; next = flights.next()) {
      try (DeviceArray batch = next) { // goes back to DuckDB at the end of the block
        Column origins = batch.column("origin");
        Longs delays = batch.column("delay").asLongs();
        Longs distances = batch.column("distance").asLongs();
        for (long row = 0; row < batch.length(); row++) {
          Airport airport = airports.computeIfAbsent(origins.getString(row), _ -> new Airport());
          airport.flights++;
          airport.delay += delays.get(row);
          airport.distance += distances.get(row);
        }
      }
    }
    return airports;
  }

  private static DeviceArray toBatch(Map<String, Airport> summary) {
    List<Airport> airports = new ArrayList<>(summary.values());
    try (BatchBuilder batch = Devices.cpu().batchBuilder(airports.size())) {
      return batch
          .utf8("origin", List.copyOf(summary.keySet()))
          .int64("flights", airports.stream().mapToLong(a -> a.flights).toArray())
          .float64("mean_delay", airports.stream().mapToDouble(a -> (double) a.delay / a.flights).toArray())
          .float64("mean_distance", airports.stream().mapToDouble(a -> (double) a.distance / a.flights).toArray())
          .build();
    }
  }

  private static void print(AdbcStatement duckdb) {
    try (var busiest = duckdb.query("SELECT * FROM airports ORDER BY flights DESC LIMIT 10")) {
      for (DeviceArray next = busiest.next(); next != null; next = busiest.next()) {
        try (DeviceArray batch = next) {
          for (long row = 0; row < batch.length(); row++) {
            System.out.printf(
                Locale.ROOT,
                "%s %,8d flights, %6.2f minutes late, %,8.2f miles%n",
                batch.column("origin").getString(row),
                batch.column("flights").getLong(row),
                batch.column("mean_delay").getDouble(row),
                batch.column("mean_distance").getDouble(row));
          }
        }
      }
    }
  }
}
