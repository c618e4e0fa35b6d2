// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * An ADBC driver: a native library whose init function filled a table of functions.
 *
 * <p>It is loaded once and never unloaded, for the streams it makes, and the arrays in them, are released by code of
 * the library, after every database is closed perhaps. Any thread may use it.
 */
public final class AdbcDriver {
  /** The init function that the ADBC driver manager looks for by default. */
  public static final String DEFAULT_INIT = "AdbcDriverInit";

  private final String name;
  private final MemorySegment table;

  private AdbcDriver(String name, MemorySegment table) {
    this.name = name;
    this.table = table;
  }

  /** Loads a library whose init function is {@value #DEFAULT_INIT}. */
  public static AdbcDriver load(Path library) {
    return load(library, DEFAULT_INIT);
  }

  /**
   * Loads a library and calls its init function for ADBC 1.1.0, then for 1.0.0 if the driver is older.
   *
   * @throws IllegalArgumentException if there is no such library, it cannot be loaded, or it has no such function
   * @throws AdbcException if the init function fails
   */
  public static AdbcDriver load(Path library, String initFunction) {
    if (!Files.isRegularFile(library)) {
      throw new IllegalArgumentException("no ADBC driver at " + library.toAbsolutePath());
    }
    MemorySegment init =
        SymbolLookup.libraryLookup(library.toAbsolutePath(), Arena.global())
            .find(initFunction)
            .orElseThrow(
                () -> new IllegalArgumentException(library + " is no ADBC driver: it has no " + initFunction));
    MemorySegment table = Arena.global().allocate(AdbcAbi.DRIVER);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment error = AdbcError.allocate(arena);
      int status = AdbcAbi.init(init, AdbcAbi.VERSION_1_1_0, table, error);
      if (status == AdbcException.NOT_IMPLEMENTED) {
        AdbcError.discard(error);
        error = AdbcError.allocate(arena);
        table.fill((byte) 0);
        status = AdbcAbi.init(init, AdbcAbi.VERSION_1_0_0, table, error);
      }
      AdbcError.check(initFunction + " of " + library.getFileName(), status, error);
    }
    var driver = new AdbcDriver(String.valueOf(library.getFileName()), table);
    driver.requireFunctions();
    return driver;
  }

  /**
   * Opens a database; the caller closes it.
   *
   * @param options what the driver calls them, such as {@code path} for DuckDB or {@code uri} for most others
   */
  public AdbcDatabase open(Map<String, String> options) {
    return AdbcDatabase.open(this, options);
  }

  /** Calls a function of the table; a status other than OK is thrown. */
  void call(AdbcFunction function, MemorySegment... args) {
    call(function, "", args);
  }

  /** As {@link #call(AdbcFunction, MemorySegment...)}, naming the option or table in the error. */
  void call(AdbcFunction function, String subject, MemorySegment... args) {
    String operation = subject.isEmpty() ? function.symbol : function.symbol + "(" + subject + ")";
    MemorySegment address = table.get(ADDRESS, function.offset);
    if (address.equals(MemorySegment.NULL)) {
      throw new AdbcException(
          operation, AdbcException.NOT_IMPLEMENTED, 0, "", name + " has no " + function.symbol);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment error = AdbcError.allocate(arena);
      AdbcError.check(operation, AdbcAbi.call(address, error, args), error);
    }
  }

  /** Allocates a zeroed handle that names this driver; it lives as long as something refers to it. */
  MemorySegment newHandle() {
    MemorySegment handle = Arena.ofAuto().allocate(AdbcAbi.HANDLE);
    handle.set(ADDRESS, AdbcAbi.HANDLE_PRIVATE_DRIVER, table);
    return handle;
  }

  private void requireFunctions() {
    String missing =
        Arrays.stream(AdbcFunction.values())
            .filter(f -> f.required && table.get(ADDRESS, f.offset).equals(MemorySegment.NULL))
            .map(f -> f.symbol)
            .collect(Collectors.joining(", "));
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(name + " is no usable ADBC driver: it lacks " + missing);
    }
  }

  @Override
  public String toString() {
    return "AdbcDriver[" + name + "]";
  }
}
