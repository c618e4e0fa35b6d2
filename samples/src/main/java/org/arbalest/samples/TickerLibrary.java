// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.TreeMap;
import org.arbalest.device.Errno;
import org.arbalest.device.c.ArrowAsyncHandlerStruct;

/** The functions of {@code ticker.h}. */
final class TickerLibrary {
  private final MethodHandle tickerStart;
  private final MethodHandle tickerCount;
  private final MethodHandle tallyOpen;
  private final MethodHandle tallyJoin;
  private final MethodHandle tallyBatches;
  private final MethodHandle tallySymbols;
  private final MethodHandle tallySymbol;
  private final MethodHandle tallyTotal;
  private final MethodHandle tallyError;
  private final MethodHandle tallyClose;

  private TickerLibrary(SymbolLookup library) {
    tickerStart = find(library, "ticker_start",
        FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    tickerCount = find(library, "ticker_count", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
    tallyOpen = find(library, "tally_open", FunctionDescriptor.of(ADDRESS, JAVA_LONG));
    tallyJoin = find(library, "tally_join", FunctionDescriptor.of(JAVA_INT, ADDRESS));
    tallyBatches = find(library, "tally_batches", FunctionDescriptor.of(JAVA_LONG, ADDRESS));
    tallySymbols = find(library, "tally_symbols", FunctionDescriptor.of(JAVA_INT, ADDRESS));
    tallySymbol = find(library, "tally_symbol", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
    tallyTotal = find(library, "tally_total", FunctionDescriptor.of(JAVA_DOUBLE, ADDRESS, JAVA_INT));
    tallyError = find(library, "tally_error", FunctionDescriptor.of(ADDRESS, ADDRESS));
    tallyClose = find(library, "tally_close", FunctionDescriptor.ofVoid(ADDRESS));
  }

  /**
   * Compiles and loads the library.
   *
   * @throws IllegalStateException if no C compiler exists
   */
  static TickerLibrary load() {
    return new TickerLibrary(
        CSources.load(
            Map.of(
                "ticker.h", "c/ticker.h",
                "ticker.c", "c/ticker.c",
                "quotes.c", "c/quotes.c",
                "tally.c", "c/tally.c",
                "arbalest/arrow_abi.h", "/META-INF/include/arbalest/arrow_abi.h")));
  }

  /** The native counters of this process: {@code enum ticker_count}. */
  enum Count {
    SENT(0),
    EXTRACTED(1),
    DISCARDED(2),
    LIVE(3);

    private final int code;

    Count(int code) {
      this.code = code;
    }
  }

  long count(Count which) {
    try {
      return (long) tickerCount.invokeExact(which.code);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Starts a stream of quotes that drives the handler. */
  void start(MemorySegment handler, int symbols, int rows, long batches, long seed) {
    int code;
    try {
      code = (int) tickerStart.invokeExact(handler, symbols, rows, batches, seed);
    } catch (Throwable t) {
      throw unexpected(t);
    }
    if (code != 0) throw new IllegalStateException("ticker_start failed: " + Errno.name(code));
  }

  /** Creates a consumer that cancels the stream after {@code stopAfter} batches. */
  Tally tally(long stopAfter) {
    MemorySegment tally;
    try {
      tally = (MemorySegment) tallyOpen.invokeExact(stopAfter);
    } catch (Throwable t) {
      throw unexpected(t);
    }
    if (tally.equals(MemorySegment.NULL)) throw new OutOfMemoryError("tally_open failed");
    return new Tally(tally);
  }

  /**
   * A native consumer. The application passes its handler to a producer. {@link #join} and {@link #close} wait until
   * the producer has released the handler.
   */
  final class Tally implements AutoCloseable {
    private final MemorySegment tally;
    private boolean joined;

    private Tally(MemorySegment tally) {
      this.tally = tally;
    }

    MemorySegment handler() {
      return tally.reinterpret(ArrowAsyncHandlerStruct.LAYOUT.byteSize());
    }

    /** Waits until the consumer is done, and returns its sums by symbol. */
    Result join() {
      try {
        int code = joinThread();
        if (code != 0) throw new IllegalStateException(string((MemorySegment) tallyError.invokeExact(tally)));
        Map<String, Double> totals = new TreeMap<>();
        int symbols = (int) tallySymbols.invokeExact(tally);
        for (int i = 0; i < symbols; i++) {
          totals.put(string((MemorySegment) tallySymbol.invokeExact(tally, i)),
              (double) tallyTotal.invokeExact(tally, i));
        }
        return new Result((long) tallyBatches.invokeExact(tally), totals);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }

    private int joinThread() throws Throwable {
      joined = true;
      return (int) tallyJoin.invokeExact(tally);
    }

    @Override
    public void close() {
      try {
        if (!joined) joinThread();
        tallyClose.invokeExact(tally);
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }
  }

  /** The number of batches, and price times size by symbol. */
  record Result(long batches, Map<String, Double> totals) {}

  private static MethodHandle find(SymbolLookup library, String name, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), descriptor);
  }

  private static String string(MemorySegment text) {
    return text.reinterpret(Long.MAX_VALUE).getString(0);
  }

  private static RuntimeException unexpected(Throwable t) {
    if (t instanceof RuntimeException e) return e;
    if (t instanceof Error e) throw e;
    return new IllegalStateException(t);
  }
}
