// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A stream handed to a driver that forwards to the caller's stream and remembers its first failure.
 *
 * <p>DuckDB takes a failing {@code get_next} for the end of the stream, and releases a bound stream only when its
 * statement runs something else or is closed. Behind this one, no failure is lost and the caller's stream is released
 * by {@link #close} at the latest; the driver's own, later release finds nothing left to do.
 */
final class WatchedStream implements AutoCloseable {
  private static final int EIO = 5;
  private static final int EINVAL = 22;

  private static final FunctionDescriptor GET = FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS);
  private static final MemorySegment GET_SCHEMA = stub("getSchema", GET);
  private static final MemorySegment GET_NEXT = stub("getNext", GET);
  private static final MemorySegment GET_LAST_ERROR = stub("getLastError", FunctionDescriptor.of(ADDRESS, ADDRESS));
  private static final MemorySegment RELEASE = stub("release", FunctionDescriptor.ofVoid(ADDRESS));

  /** {@code private_data} to object: an entry lives from {@link #takeOver} to {@link #close}. */
  private static final Map<Long, WatchedStream> OPEN = new ConcurrentHashMap<>();

  private static final AtomicLong NEXT_ID = new AtomicLong(1);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment source = arena.allocate(ArrowStream.LAYOUT);
  private final MemorySegment struct = arena.allocate(ArrowStream.LAYOUT);
  private final long id = NEXT_ID.getAndIncrement();
  private volatile @Nullable AdbcException failure;

  private WatchedStream() {}

  /** Moves the stream out of the caller's struct. */
  static WatchedStream takeOver(MemorySegment callers) {
    if (ArrowStream.isReleased(callers)) {
      throw new IllegalArgumentException("the stream was released or handed over before: its release is NULL");
    }
    var watched = new WatchedStream();
    watched.struct.set(ADDRESS, ArrowStream.GET_SCHEMA, GET_SCHEMA);
    watched.struct.set(ADDRESS, ArrowStream.GET_NEXT, GET_NEXT);
    watched.struct.set(ADDRESS, ArrowStream.GET_LAST_ERROR, GET_LAST_ERROR);
    watched.struct.set(JAVA_LONG, ArrowStream.PRIVATE_DATA, watched.id);
    watched.struct.set(ADDRESS, ArrowStream.RELEASE, RELEASE);
    OPEN.put(watched.id, watched);
    watched.source.copyFrom(callers);
    callers.set(ADDRESS, ArrowStream.RELEASE, MemorySegment.NULL);
    return watched;
  }

  /** The struct for the driver, which copies it. */
  MemorySegment struct() {
    return struct;
  }

  /** Throws the stream's own failure, if it had one. */
  void throwFailure() {
    AdbcException seen = failure;
    if (seen != null) {
      throw seen;
    }
  }

  @Override
  public void close() {
    OPEN.remove(id);
    ArrowStream.release(source);
    arena.close();
  }

  private int forward(String operation, long function, MemorySegment out, long size) {
    try {
      int errno = ArrowStream.get(source, function, out);
      if (errno != 0) {
        remember(ArrowStream.failure(operation, errno, ArrowStream.lastError(source)));
        // DuckDB reads the schema even so: an empty one it refuses, from random bytes it crashes.
        out.reinterpret(size).fill((byte) 0);
      }
      return errno;
    } catch (Throwable t) {
      remember(new AdbcException(operation, AdbcException.UNKNOWN, EIO, "", t.toString()));
      return EIO;
    }
  }

  private void remember(AdbcException seen) {
    if (failure == null) {
      failure = seen;
    }
  }

  // The callbacks. A Throwable that escaped one would end the VM.

  @SuppressWarnings("unused") // by the stub
  private static int getSchema(MemorySegment self, MemorySegment out) {
    return get(self, "get_schema of the stream", ArrowStream.GET_SCHEMA, out, ArrowStream.SCHEMA_BYTES);
  }

  @SuppressWarnings("unused") // by the stub
  private static int getNext(MemorySegment self, MemorySegment out) {
    return get(self, "get_next of the stream", ArrowStream.GET_NEXT, out, ArrowStream.ARRAY_BYTES);
  }

  private static int get(MemorySegment self, String operation, long function, MemorySegment out, long size) {
    try {
      WatchedStream watched = find(self);
      return watched == null ? EINVAL : watched.forward(operation, function, out, size);
    } catch (Throwable t) {
      return EIO;
    }
  }

  @SuppressWarnings("unused") // by the stub
  private static MemorySegment getLastError(MemorySegment self) {
    try {
      WatchedStream watched = find(self);
      return watched == null ? MemorySegment.NULL : ArrowStream.lastError(watched.source);
    } catch (Throwable t) {
      return MemorySegment.NULL;
    }
  }

  @SuppressWarnings("unused") // by the stub
  private static void release(MemorySegment self) {
    try {
      WatchedStream watched = find(self);
      if (watched != null) {
        ArrowStream.release(watched.source);
      }
      ArrowStream.at(self).set(ADDRESS, ArrowStream.RELEASE, MemorySegment.NULL);
    } catch (Throwable t) {
      // Left unreleased for close() to try again.
    }
  }

  /** The object behind a callback, unless its stream has been released. */
  private static @Nullable WatchedStream find(MemorySegment self) {
    WatchedStream watched = OPEN.get(ArrowStream.at(self).get(JAVA_LONG, ArrowStream.PRIVATE_DATA));
    return watched == null || ArrowStream.isReleased(watched.source) ? null : watched;
  }

  private static MemorySegment stub(String method, FunctionDescriptor descriptor) {
    try {
      var target = MethodHandles.lookup().findStatic(WatchedStream.class, method, descriptor.toMethodType());
      return Linker.nativeLinker().upcallStub(target, descriptor, Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
