// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.adbc.AdbcIngest;
import org.arbalest.device.adbc.DuckDbDriver;
import org.arbalest.device.objects.Records;

/** A short version of {@code Flights.kt} in plain Java: sums up DuckDB's columns and returns the result to DuckDB. */
final class FlightsJava {
  /** A row of the table {@code airports}, which adds up its flights. Flights without a delay are not in the query. */
  record Airport(String origin, long flights, double delay, double distance) {
    Airport plus(long minutes, long miles) {
      return new Airport(origin, flights + 1, delay + minutes, distance + miles);
    }
  }

  private FlightsJava() {}

  /** Prints the ten busiest airports of a Parquet file. */
  static void run(Path file) {
    String select = "SELECT origin, delay::BIGINT AS delay, distance::BIGINT AS distance FROM read_parquet('"
        + file.toString().replace("'", "''") + "')";
    String notNull = " WHERE origin IS NOT NULL AND delay IS NOT NULL AND distance IS NOT NULL";
    var airports = new TreeMap<String, Airport>();
    try (var database = DuckDbDriver.open();
        var duckdb = database.connect()) {
      try (var flights = duckdb.query(select + notNull)) {
        flights.forEach(batch -> add(batch, airports)); // the batch returns to DuckDB after this
      }
      duckdb.ingest(AdbcIngest.into("airports"), toBatch(airports.values()));
      try (var busiest = duckdb.query("SELECT * FROM airports ORDER BY flights DESC LIMIT 10")) {
        busiest.forEach(batch -> Records.of(Airport.class).rows(batch).forEach(FlightsJava::print));
      }
    }
  }

  private static void add(RecordBatch batch, Map<String, Airport> airports) {
    var origins = batch.column("origin");
    var delays = batch.column("delay").asLongs();
    var distances = batch.column("distance").asLongs();
    for (long row = 0; row < batch.length(); row++) {
      String origin = origins.getString(row);
      airports.put(origin,
          airports.getOrDefault(origin, new Airport(origin, 0, 0, 0)).plus(delays.get(row), distances.get(row)));
    }
  }

  private static RecordBatch toBatch(Collection<Airport> airports) {
    return Records.of(Airport.class).build(Devices.cpu().memory(), airports);
  }

  private static void print(Airport airport) {
    double n = airport.flights;
    System.out.printf(Locale.ROOT, "%s %,8d flights, %6.2f minutes late, %,8.2f miles%n", airport.origin,
        airport.flights, airport.delay / n,
        airport.distance / n);
  }
}
