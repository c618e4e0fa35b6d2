// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import org.arbalest.support.NativeLibrary;

/** Queries by an ADBC driver in C. A session lives as long as the process. Needs a C compiler. */
final class CSession {
  private static final NativeLibrary LIBRARY =
      NativeLibrary.Companion.compile("adbc/drain_query.c", "adbc/adbc.h", "adbc/functions.h");
  private static final MethodHandle OPEN =
      function("session_open", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
  private static final MethodHandle QUERY =
      function("session_query", FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS));
  private static final MethodHandle PREPARE =
      function("session_prepare", FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS));
  private static final MethodHandle PREPARED =
      function("session_prepared", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG));

  private final MemorySegment session;

  private CSession(MemorySegment session) {
    this.session = session;
  }

  private static MethodHandle function(String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), type);
  }

  /** Opens a database with one option. */
  static CSession open(Path driver, String entryPoint, String key, String value) throws Throwable {
    Arena arena = Arena.global();
    var session = (MemorySegment) OPEN.invokeExact(arena.allocateFrom(driver.toString()),
        arena.allocateFrom(entryPoint), arena.allocateFrom(key), arena.allocateFrom(value));
    if (session.address() == 0) throw new IllegalStateException("the C program cannot open the driver");
    return new CSession(session);
  }

  /** Returns the number of rows of a query. */
  long query(String sql) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      return require((long) QUERY.invokeExact(session, arena.allocateFrom(sql)));
    }
  }

  /** Prepares the query of {@link #prepared}. */
  void prepare(String sql) throws Throwable {
    if ((long) PREPARE.invokeExact(session, Arena.global().allocateFrom(sql)) == 0)
      throw new IllegalStateException("the C program cannot prepare the query");
  }

  /** Returns the number of rows for one parameter. */
  long prepared(long parameter) throws Throwable {
    return require((long) PREPARED.invokeExact(session, parameter));
  }

  private static long require(long rows) {
    if (rows < 0) throw new IllegalStateException("the query failed in the C program");
    return rows;
  }
}
