// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.stream.Stream;

/** The structs and call signatures of {@code adbc.h} 1.1.0 that this package uses. */
final class AdbcAbi {
  static final int VERSION_1_0_0 = 1_000_000;
  static final int VERSION_1_1_0 = 1_001_000;

  /** {@code AdbcDatabase}, {@code AdbcConnection} and {@code AdbcStatement}: all three have these two fields. */
  static final StructLayout HANDLE =
      MemoryLayout.structLayout(ADDRESS.withName("private_data"), ADDRESS.withName("private_driver"));

  static final long HANDLE_PRIVATE_DRIVER = HANDLE.byteOffset(PathElement.groupElement("private_driver"));

  /** {@code AdbcDriver}: two private pointers, then function pointers; 232 bytes in 1.0.0, 464 in 1.1.0. */
  static final StructLayout DRIVER =
      pointers(
          """
          private_data private_manager release
          DatabaseInit DatabaseNew DatabaseSetOption DatabaseRelease
          ConnectionCommit ConnectionGetInfo ConnectionGetObjects ConnectionGetTableSchema ConnectionGetTableTypes
          ConnectionInit ConnectionNew ConnectionSetOption ConnectionReadPartition ConnectionRelease ConnectionRollback
          StatementBind StatementBindStream StatementExecuteQuery StatementExecutePartitions
          StatementGetParameterSchema StatementNew StatementPrepare StatementRelease StatementSetOption
          StatementSetSqlQuery StatementSetSubstraitPlan
          ErrorGetDetailCount ErrorGetDetail ErrorFromArrayStream
          DatabaseGetOption DatabaseGetOptionBytes DatabaseGetOptionDouble DatabaseGetOptionInt
          DatabaseSetOptionBytes DatabaseSetOptionDouble DatabaseSetOptionInt
          ConnectionCancel ConnectionGetOption ConnectionGetOptionBytes ConnectionGetOptionDouble
          ConnectionGetOptionInt ConnectionGetStatistics ConnectionGetStatisticNames
          ConnectionSetOptionBytes ConnectionSetOptionDouble ConnectionSetOptionInt
          StatementCancel StatementExecuteSchema StatementGetOption StatementGetOptionBytes
          StatementGetOptionDouble StatementGetOptionInt StatementSetOptionBytes StatementSetOptionDouble
          StatementSetOptionInt
          """);

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle INIT =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_BYTE, JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle CALL_1 = LINKER.downcallHandle(statusOf(2));
  private static final MethodHandle CALL_2 = LINKER.downcallHandle(statusOf(3));
  private static final MethodHandle CALL_3 = LINKER.downcallHandle(statusOf(4));
  private static final MethodHandle RELEASE = LINKER.downcallHandle(FunctionDescriptor.ofVoid(ADDRESS));

  private AdbcAbi() {}

  /** Calls {@code AdbcDriverInitFunc}; the status is a {@code uint8_t}. */
  static int init(MemorySegment function, int version, MemorySegment driver, MemorySegment error) {
    try {
      return Byte.toUnsignedInt((byte) INIT.invokeExact(function, version, driver, error));
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Calls a function of the driver's table with one to three pointers and, last, the error. */
  static int call(MemorySegment function, MemorySegment error, MemorySegment... args) {
    try {
      byte status =
          switch (args.length) {
            case 1 -> (byte) CALL_1.invokeExact(function, args[0], error);
            case 2 -> (byte) CALL_2.invokeExact(function, args[0], args[1], error);
            case 3 -> (byte) CALL_3.invokeExact(function, args[0], args[1], args[2], error);
            default -> throw new IllegalArgumentException("no ADBC function takes " + args.length + " pointers");
          };
      return Byte.toUnsignedInt(status);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Calls a {@code void release(struct*)}. */
  static void release(MemorySegment function, MemorySegment struct) {
    try {
      RELEASE.invokeExact(function, struct);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Reads a C string, or "" from NULL. */
  static String string(MemorySegment address) {
    return address.equals(MemorySegment.NULL) ? "" : address.reinterpret(Long.MAX_VALUE).getString(0);
  }

  private static FunctionDescriptor statusOf(int pointers) {
    return FunctionDescriptor.of(
        JAVA_BYTE, Stream.generate(() -> ADDRESS).limit(pointers).toArray(MemoryLayout[]::new));
  }

  /** A struct of nothing but pointers, by name. */
  static StructLayout pointers(String names) {
    return MemoryLayout.structLayout(
        Stream.of(names.strip().split("\\s+")).map(ADDRESS::withName).toArray(MemoryLayout[]::new));
  }

  /** What a downcall threw: nothing of the driver's, which cannot throw, but an error on our side. */
  static RuntimeException unexpected(Throwable t) {
    if (t instanceof RuntimeException e) {
      return e;
    }
    if (t instanceof Error e) {
      throw e;
    }
    return new IllegalStateException("a downcall threw a checked exception", t);
  }
}
