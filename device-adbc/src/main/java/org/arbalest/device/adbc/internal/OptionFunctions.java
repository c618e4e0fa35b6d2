// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.jspecify.annotations.Nullable;

/**
 * The functions for the options of one kind of handle. The caller holds the connection lock, except when it reads an
 * option of a statement.
 */
enum OptionFunctions {
  DATABASE(
      AdbcFunction.DATABASE_SET_OPTION,
      AdbcFunction.DATABASE_SET_OPTION_BYTES,
      AdbcFunction.DATABASE_SET_OPTION_INT,
      AdbcFunction.DATABASE_SET_OPTION_DOUBLE,
      AdbcFunction.DATABASE_GET_OPTION,
      AdbcFunction.DATABASE_GET_OPTION_BYTES,
      AdbcFunction.DATABASE_GET_OPTION_INT,
      AdbcFunction.DATABASE_GET_OPTION_DOUBLE),
  CONNECTION(
      AdbcFunction.CONNECTION_SET_OPTION,
      AdbcFunction.CONNECTION_SET_OPTION_BYTES,
      AdbcFunction.CONNECTION_SET_OPTION_INT,
      AdbcFunction.CONNECTION_SET_OPTION_DOUBLE,
      AdbcFunction.CONNECTION_GET_OPTION,
      AdbcFunction.CONNECTION_GET_OPTION_BYTES,
      AdbcFunction.CONNECTION_GET_OPTION_INT,
      AdbcFunction.CONNECTION_GET_OPTION_DOUBLE),
  STATEMENT(
      AdbcFunction.STATEMENT_SET_OPTION,
      AdbcFunction.STATEMENT_SET_OPTION_BYTES,
      AdbcFunction.STATEMENT_SET_OPTION_INT,
      AdbcFunction.STATEMENT_SET_OPTION_DOUBLE,
      AdbcFunction.STATEMENT_GET_OPTION,
      AdbcFunction.STATEMENT_GET_OPTION_BYTES,
      AdbcFunction.STATEMENT_GET_OPTION_INT,
      AdbcFunction.STATEMENT_GET_OPTION_DOUBLE);

  static final String AUTOCOMMIT = "adbc.connection.autocommit";
  static final String CATALOG = "adbc.connection.catalog";
  static final String DB_SCHEMA = "adbc.connection.db_schema";

  /** An option of connections of PostgreSQL's driver: {@code idle}, {@code intrans}, {@code inerror} and others. */
  static final String TRANSACTION_STATUS = "adbc.postgresql.transaction_status";

  private static final int USUAL_SIZE = 256;

  /**
   * The limit for retries when a value is longer than its reported size. Another thread may have set a longer value
   * meanwhile. If it happens every time, the driver has a fault.
   */
  private static final int MOST_TRIES = 10;

  /** A limit above the size of any option. */
  private static final long MOST_BYTES = 1L << 30;

  private final AdbcFunction set;
  private final AdbcFunction setBytes;
  private final AdbcFunction setInt;
  private final AdbcFunction setDouble;
  private final AdbcFunction get;
  private final AdbcFunction getBytes;
  private final AdbcFunction getInt;
  private final AdbcFunction getDouble;

  OptionFunctions(
      AdbcFunction set,
      AdbcFunction setBytes,
      AdbcFunction setInt,
      AdbcFunction setDouble,
      AdbcFunction get,
      AdbcFunction getBytes,
      AdbcFunction getInt,
      AdbcFunction getDouble) {
    this.set = set;
    this.setBytes = setBytes;
    this.setInt = setInt;
    this.setDouble = setDouble;
    this.get = get;
    this.getBytes = getBytes;
    this.getInt = getInt;
    this.getDouble = getDouble;
  }

  /** Sets an option of any type, from a user's map. */
  void setAny(NativeHandle handle, String key, @Nullable Object value) {
    switch (value) {
      case String text -> set(handle, key, text);
      case Boolean flag -> set(handle, key, flag.toString());
      case Long number -> set(handle, key, (long) number);
      case Integer number -> set(handle, key, (long) number);
      case Double number -> set(handle, key, (double) number);
      case byte[] bytes -> set(handle, key, bytes);
      case null -> throw new NullPointerException("the option " + key + " is null");
      default ->
          throw new IllegalArgumentException(
              "the option " + key + " is a " + value.getClass().getName()
                  + ", but must be a String, Boolean, Long, Integer, Double or byte[]");
    }
  }

  /** Returns the value of an option, with the class of another value; empty if the driver does not report it. */
  Optional<Object> getLike(NativeHandle handle, String key, Object value) {
    try {
      return Optional.of(switch (value) {
        case Long _ -> getLong(handle, key);
        case Double _ -> getDouble(handle, key);
        case byte[] _ -> getBytes(handle, key);
        default -> get(handle, key);
      });
    } catch (AdbcException _) {
      return Optional.empty();
    }
  }

  private void call(NativeHandle handle, AdbcFunction function, String key, DriverTable.Call call) {
    if (this == STATEMENT || key.equals(TRANSACTION_STATUS)) {
      handle.driver.call(function, key, null, call); // no driver asks its server for it
    } else {
      handle.call(function, key, null, call);
    }
  }

  void set(NativeHandle handle, String key, String value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = CText.write(arena, "key", key);
      MemorySegment text = CText.write(arena, "value", value);
      call(handle, set, key,
          (f, error) -> Signatures.pppp(f, handle.struct, name, text, error));
    }
    if (this == CONNECTION && key.equals(AUTOCOMMIT)) handle.lock.record.setAutoCommit(!value.equals("false"));
  }

  void set(NativeHandle handle, String key, long value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = CText.write(arena, "key", key);
      call(handle, setInt, key,
          (f, error) -> Signatures.pplp(f, handle.struct, name, value, error));
    }
  }

  void set(NativeHandle handle, String key, double value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = CText.write(arena, "key", key);
      call(handle, setDouble, key,
          (f, error) -> Signatures.ppdp(f, handle.struct, name, value, error));
    }
  }

  void set(NativeHandle handle, String key, byte[] value) {
    Objects.requireNonNull(value, "value");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = CText.write(arena, "key", key);
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, value);
      call(
          handle, setBytes, key,
          (f, error) -> Signatures.ppplp(f, handle.struct, name, bytes, (long) value.length, error));
    }
  }

  String get(NativeHandle handle, String key) {
    byte[] value = get(handle, get, key);
    int length = 0;
    while (length < value.length && value[length] != 0) length++; // with or without a terminating zero
    return new String(value, 0, length, StandardCharsets.UTF_8);
  }

  byte[] getBytes(NativeHandle handle, String key) {
    return get(handle, getBytes, key);
  }

  private byte[] get(NativeHandle handle, AdbcFunction function, String key) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = CText.write(arena, "key", key);
      MemorySegment length = arena.allocate(JAVA_LONG);
      MemorySegment value = arena.allocate(USUAL_SIZE);
      for (int tries = 0; tries < MOST_TRIES; tries++) {
        MemorySegment out = value;
        length.set(JAVA_LONG, 0, out.byteSize());
        call(handle, function, key,
            (f, error) -> Signatures.ppppp(f, handle.struct, name, out, length, error));
        long wanted = length.get(JAVA_LONG, 0);
        if (wanted < 0 || wanted > MOST_BYTES)
          throw fault(handle, function, "says that the option " + key + " has " + wanted + " bytes");
        if (wanted <= out.byteSize()) return out.asSlice(0, wanted).toArray(JAVA_BYTE);
        value = arena.allocate(wanted);
      }
    }
    throw fault(handle, function, "says each time that the option " + key + " is longer than it said before");
  }

  private static AdbcException fault(NativeHandle handle, AdbcFunction function, String what) {
    return AdbcException.of(function.symbol(), AdbcStatus.INTERNAL.code()).driver(handle.driver.name())
        .message("the driver " + what).build();
  }

  long getLong(NativeHandle handle, String key) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = CText.write(arena, "key", key);
      MemorySegment value = arena.allocate(JAVA_LONG);
      call(handle, getInt, key,
          (f, error) -> Signatures.pppp(f, handle.struct, name, value, error));
      return value.get(JAVA_LONG, 0);
    }
  }

  double getDouble(NativeHandle handle, String key) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = CText.write(arena, "key", key);
      MemorySegment value = arena.allocate(JAVA_DOUBLE);
      call(handle, getDouble, key,
          (f, error) -> Signatures.pppp(f, handle.struct, name, value, error));
      return value.get(JAVA_DOUBLE, 0);
    }
  }
}
