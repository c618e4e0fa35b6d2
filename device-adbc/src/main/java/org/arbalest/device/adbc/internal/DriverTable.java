// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.adbc.AdbcVersion;
import org.jspecify.annotations.Nullable;

/**
 * {@code struct AdbcDriver}, filled by a driver's init function: its functions, called with an error that is read and
 * released. One for each database.
 */
final class DriverTable {
  private static final int VERSION_1_0_0 = 1_000_000;
  private static final int VERSION_1_1_0 = 1_001_000;

  /** Where {@code release} is: behind two private pointers. */
  private static final long RELEASE = 2 * Long.BYTES;

  private static final NativeBlocks TABLES = new NativeBlocks(AdbcFunction.sizeOfTable(AdbcVersion.V1_1_0));

  private final String name;
  private final AdbcVersion version;
  private final MemorySegment struct;
  private final Map<AdbcFunction, MemorySegment> functions = new EnumMap<>(AdbcFunction.class);

  /** A call of one of the functions, which answers its status. */
  @FunctionalInterface
  interface Call {
    byte invoke(MemorySegment function, MemorySegment error) throws Throwable;
  }

  private DriverTable(String name, AdbcVersion version, MemorySegment struct) {
    this.name = name;
    this.version = version;
    this.struct = struct;
    for (AdbcFunction function : AdbcFunction.values()) {
      if (version.compareTo(function.since()) < 0) continue; // that part of the struct is not its
      MemorySegment address = struct.get(ADDRESS, function.offset());
      if (address.address() != 0) functions.put(function, address);
    }
  }

  /**
   * Has an init function fill a table: for 1.1.0, or for 1.0.0 if it does not know that. To be released by the caller.
   *
   * @param entryPoint what the function is called
   * @throws AdbcException what the function fails with; with {@link AdbcStatus#INTERNAL} if the table lacks what every
   *     driver has
   */
  static DriverTable init(String name, String entryPoint, MemorySegment function) {
    MemorySegment struct = TABLES.take();
    AdbcException failure;
    try {
      AdbcVersion version = AdbcVersion.V1_1_0;
      failure = init(name, entryPoint, function, VERSION_1_1_0, struct);
      if (failure != null && failure.status() == AdbcStatus.NOT_IMPLEMENTED) {
        struct.fill((byte) 0);
        version = AdbcVersion.V1_0_0;
        failure = init(name, entryPoint, function, VERSION_1_0_0, struct);
      }
      if (failure == null) {
        var table = new DriverTable(name, version, struct);
        String missing = AdbcFunction.REQUIRED.stream().filter(f -> table.function(f) == null).map(AdbcFunction::symbol)
            .collect(Collectors.joining(", "));
        if (missing.isEmpty()) return table;
        failure = AdbcException.of(entryPoint, AdbcStatus.INTERNAL.code()).driver(name)
            .message("the driver's table lacks " + missing).build();
      }
      releaseAfter(failure, new DriverTable(name, version, struct));
    } catch (Throwable t) {
      TABLES.giveBack(struct);
      throw t;
    }
    TABLES.giveBack(struct);
    throw failure;
  }

  /** An init function that fails may have made something all the same. */
  private static void releaseAfter(AdbcException failure, DriverTable table) {
    try {
      table.callRelease();
    } catch (AdbcException second) {
      failure.addSuppressed(second);
    }
  }

  private static @Nullable AdbcException init(String name, String entryPoint, MemorySegment function, int version,
      MemorySegment struct) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment error = ErrorStruct.allocate(arena, struct);
      try {
        int status = Byte.toUnsignedInt((byte) Signatures.IPP.invokeExact(function, version, struct, error));
        if (status == 0) return null;
        // No details: they would be asked for by functions of the table, which may not be there.
        var failure = AdbcException.of(entryPoint, status).driver(name).message(ErrorStruct.message(error))
            .sqlState(ErrorStruct.sqlState(error));
        return DriverErrors.vendorCode(failure, error).build();
      } finally {
        release(error);
      }
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  /** Has the driver clean up, when nothing that was made by this table is left but arrays. Once. */
  void release() {
    try {
      callRelease();
    } finally {
      TABLES.giveBack(struct);
    }
  }

  private void callRelease() {
    MemorySegment release = struct.get(ADDRESS, RELEASE);
    if (release.address() != 0)
      call(release, "AdbcDriver.release", null, (f, error) -> (byte) Signatures.PP.invokeExact(f, struct, error));
  }

  String name() {
    return name;
  }

  AdbcVersion version() {
    return version;
  }

  /** The struct, which handles and errors name. */
  MemorySegment struct() {
    return struct;
  }

  /** A function, or null if the driver has none. */
  @Nullable
  MemorySegment function(AdbcFunction function) {
    return functions.get(function);
  }

  void call(AdbcFunction function, Call call) {
    call(function, null, null, call);
  }

  /**
   * Calls a function.
   *
   * @param about the option or the table that the call is about, for the error
   * @param sql the query that it is about, for the error
   * @throws AdbcException what the driver answers; with {@link AdbcStatus#NOT_IMPLEMENTED} if it has no such function
   */
  void call(AdbcFunction function, @Nullable String about, @Nullable String sql, Call call) {
    MemorySegment address = function(function);
    if (address == null) throw missing(function, about);
    call(address, operation(function, about), sql, call);
  }

  private void call(MemorySegment address, String operation, @Nullable String sql, Call call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment error =
          version == AdbcVersion.V1_0_0 ? ErrorStruct.allocate(arena) : ErrorStruct.allocate(arena, struct);
      try {
        int status = Byte.toUnsignedInt(call.invoke(address, error));
        if (status != 0) throw DriverErrors.ofCall(this, operation, sql, status, error);
      } finally {
        release(error);
      }
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  private AdbcException missing(AdbcFunction function, @Nullable String about) {
    boolean isTooOld = version.compareTo(function.since()) < 0;
    String why = isTooOld ? "it is a driver of ADBC " + version + ", and this is of " + function.since()
        : "the driver has no such function";
    return AdbcException.of(operation(function, about), AdbcStatus.NOT_IMPLEMENTED.code()).driver(name).message(why)
        .build();
  }

  private static String operation(AdbcFunction function, @Nullable String about) {
    return about == null ? function.symbol() : function.symbol() + "(" + about + ")";
  }

  /** Gives back what a driver put into an error, if anything. */
  private static void release(MemorySegment error) throws Throwable {
    MemorySegment release = ErrorStruct.release(error);
    if (release.address() != 0) Signatures.RELEASE.invokeExact(release, error);
  }

  @Override
  public String toString() {
    return name + " (ADBC " + version + ")";
  }
}
