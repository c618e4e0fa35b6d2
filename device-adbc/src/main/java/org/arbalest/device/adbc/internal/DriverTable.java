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
 * The table {@code struct AdbcDriver}, which a driver's init function fills. It calls the driver's functions with an
 * error struct, reads the error and releases it. Each database has its own table.
 */
final class DriverTable {
  /** The offset of {@code release}, after two private pointers. */
  private static final long RELEASE = 2 * Long.BYTES;

  /**
   * Blocks for tables, of the size of the latest version: a driver that is built with the draft of 1.2.0 may write
   * beyond the table of 1.1.0, whose size the draft defines too large.
   */
  private static final NativeBlocks TABLES = new NativeBlocks(AdbcFunction.sizeOfTable(AdbcVersion.V1_2_0));

  private final String name;
  private final AdbcVersion version;
  private final MemorySegment struct;
  private final Map<AdbcFunction, MemorySegment> functions = new EnumMap<>(AdbcFunction.class);

  /** A call of one of the functions, which returns its status. */
  @FunctionalInterface
  interface Call {
    byte invoke(MemorySegment function, MemorySegment error) throws Throwable;
  }

  private DriverTable(String name, AdbcVersion version, MemorySegment struct) {
    this.name = name;
    this.version = version;
    this.struct = struct;
    for (AdbcFunction function : AdbcFunction.values()) {
      if (version.compareTo(function.since()) < 0) continue; // the struct of this version does not have the function
      MemorySegment address = struct.get(ADDRESS, function.offset());
      if (address.address() != 0) functions.put(function, address);
    }
  }

  /**
   * Calls an init function to fill a table: for the requested version, or for the next earlier one if the driver does
   * not support that. The caller releases the table.
   *
   * @param entryPoint the name of the function
   * @param latest the requested version
   * @throws AdbcException if the function fails; with {@link AdbcStatus#INTERNAL} if the table lacks a function that
   *     every driver has
   */
  static DriverTable init(String name, String entryPoint, MemorySegment function, AdbcVersion latest) {
    MemorySegment struct = TABLES.take();
    AdbcException failure;
    try {
      AdbcVersion version = latest;
      failure = init(name, entryPoint, function, number(version), struct);
      while (failure != null && failure.status() == AdbcStatus.NOT_IMPLEMENTED && version != AdbcVersion.V1_0_0) {
        struct.fill((byte) 0);
        version = version == AdbcVersion.V1_2_0 ? AdbcVersion.V1_1_0 : AdbcVersion.V1_0_0;
        failure = init(name, entryPoint, function, number(version), struct);
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

  /** Returns the number of a version in {@code adbc.h}. */
  private static int number(AdbcVersion version) {
    return switch (version) {
      case V1_0_0 -> 1_000_000;
      case V1_1_0 -> 1_001_000;
      case V1_2_0 -> 1_002_000;
    };
  }

  /** Releases a table after a failure: an init function that fails may still have allocated resources. */
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
        int status = Byte.toUnsignedInt(Signatures.ipp(function, version, struct, error));
        if (status == 0) return null;
        // No details: they need functions of the table, which may be absent.
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

  /** Lets the driver clean up, when of all objects from this table only arrays remain. Called once. */
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
      call(release, "AdbcDriver.release", null, (f, error) -> Signatures.pp(f, struct, error));
  }

  String name() {
    return name;
  }

  AdbcVersion version() {
    return version;
  }

  /** Returns the struct, which handles and errors refer to. */
  MemorySegment struct() {
    return struct;
  }

  /** Returns a function, or null if the driver does not have it. */
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
   * @param about the option or the table of the call, for the error
   * @param sql the query of the call, for the error
   * @throws AdbcException if the driver returns an error; with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver does
   *     not have the function
   */
  void call(AdbcFunction function, @Nullable String about, @Nullable String sql, Call call) {
    MemorySegment address = function(function);
    if (address == null) throw missing(function, about);
    call(address, operation(function, about), sql, call);
  }

  /**
   * Calls a function that is not in the table.
   *
   * @param operation the name of the function, for the error
   */
  void call(MemorySegment address, String operation, @Nullable String sql, Call call) {
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
    String why = isTooOld ? "it is a driver of ADBC " + version + ", and this function is from " + function.since()
        : "the driver has no such function";
    return AdbcException.of(operation(function, about), AdbcStatus.NOT_IMPLEMENTED.code()).driver(name).message(why)
        .build();
  }

  /** Returns the name of a call, with its option or table in parentheses. */
  static String operation(AdbcFunction function, @Nullable String about) {
    return about == null ? function.symbol() : function.symbol() + "(" + about + ")";
  }

  /** Releases the content that a driver put into an error, if any. */
  private static void release(MemorySegment error) throws Throwable {
    MemorySegment release = ErrorStruct.release(error);
    if (release.address() != 0) Signatures.release(release, error);
  }

  @Override
  public String toString() {
    return name + " (ADBC " + version + ")";
  }
}
