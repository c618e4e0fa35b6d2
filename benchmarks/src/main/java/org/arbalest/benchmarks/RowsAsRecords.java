// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.columns.Column;
import org.arbalest.device.objects.Records;
import org.jspecify.annotations.Nullable;
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

/** Measures reading rows as records, per row, compared with records that user code makes from the columns' getters. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(RowsAsRecords.ROWS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class RowsAsRecords {
  static final int ROWS = 10_000;

  /** A record of primitives. */
  public record Quote(long time, int venue, double bid, double ask) {}

  /** A record with text and a nullable value. */
  public record Flight(String carrier, int delay, @Nullable Double distance) {}

  List<Quote> quotes;
  RecordBatch quoteBatch;
  RecordBatch flightBatch;

  @Setup
  public void make() {
    quotes = new ArrayList<>();
    List<Flight> flights = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      quotes.add(new Quote(i, i % 7, i + 0.25, i + 0.5));
      flights.add(new Flight("carrier " + i % 100, i, i % 10 == 0 ? null : i * 0.5));
    }
    quoteBatch = Records.of(Quote.class).build(Devices.cpu().memory(), quotes);
    flightBatch = Records.of(Flight.class).build(Devices.cpu().memory(), flights);
    flights(); // so that each call site has seen a second class
  }

  @TearDown
  public void close() {
    quoteBatch.close();
    flightBatch.close();
  }

  @Benchmark
  public double quotes() {
    double sum = 0;
    for (Quote quote : Records.of(Quote.class).rows(quoteBatch)) sum += quote.bid() + quote.venue();
    return sum;
  }

  @Benchmark
  public double quotesByHand() {
    Column time = quoteBatch.column("time");
    Column venue = quoteBatch.column("venue");
    Column bid = quoteBatch.column("bid");
    Column ask = quoteBatch.column("ask");
    double sum = 0;
    for (long row = 0; row < quoteBatch.length(); row++) {
      Quote quote = new Quote(time.getLong(row), venue.getInt(row), bid.getDouble(row), ask.getDouble(row));
      sum += quote.bid() + quote.venue();
    }
    return sum;
  }

  @Benchmark
  public long flights() {
    long sum = 0;
    for (Flight flight : Records.of(Flight.class).rows(flightBatch)) sum += flight.delay() + flight.carrier().length();
    return sum;
  }

  @Benchmark
  public long flightsByHand() {
    Column carrier = flightBatch.column("carrier");
    Column delay = flightBatch.column("delay");
    Column distance = flightBatch.column("distance");
    long sum = 0;
    for (long row = 0; row < flightBatch.length(); row++) {
      Flight flight =
          new Flight(carrier.getString(row), delay.getInt(row), distance.isNull(row) ? null : distance.getDouble(row));
      sum += flight.delay() + flight.carrier().length();
    }
    return sum;
  }

  @Benchmark
  public List<Quote> quotesToList() {
    return Records.of(Quote.class).toList(quoteBatch);
  }

  @Benchmark
  public void build() {
    Records.of(Quote.class).build(Devices.cpu().memory(), quotes).close();
  }
}
