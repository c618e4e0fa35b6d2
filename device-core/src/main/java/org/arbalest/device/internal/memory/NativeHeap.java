// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.math.BigInteger;
import java.nio.ByteOrder;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/**
 * CPU memory for structs, and raw access to any CPU memory.
 *
 * <p>Blocks come from {@code malloc}, which reuses small blocks faster than an arena does. Any thread may free them.
 * The blocks have a few kilobytes, so the calls are short and skip the thread's state transition.
 */
public final class NativeHeap {
  private static final long AT_ONCE = 1 << 20;
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /** The number of calls before the handles for short calls are linked, which takes longer than they do. */
  private static final int FIRST = 64;

  /** The number of calls so far, up to {@link #FIRST}. A race is harmless. */
  private static int firstCalls;

  private static final MemorySegment MALLOC = Linker.nativeLinker().defaultLookup().findOrThrow("malloc");
  private static final MemorySegment FREE = Linker.nativeLinker().defaultLookup().findOrThrow("free");

  private NativeHeap() {}

  /** Allocates a block with undefined content. Throws ENOMEM if memory runs out. */
  public static long allocate(long bytes) {
    long address = malloc(bytes);
    if (address == 0) throw new DeviceException(Errno.ENOMEM, "malloc failed: ENOMEM, asked for " + bytes + " bytes");
    return address;
  }

  private static long malloc(long bytes) {
    try {
      if (isEarly() || Critical.MALLOC == null) return CFunction.call(MALLOC, bytes, 0, 0, 0, 0, 0);
      return (long) Critical.MALLOC.invokeExact(MALLOC, bytes);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  /** Frees a block; does nothing for 0. */
  public static void free(long address) {
    try {
      if (isEarly() || Critical.FREE == null) {
        CFunction.call(FREE, address, 0, 0, 0, 0, 0);
      } else {
        Critical.FREE.invokeExact(FREE, address);
      }
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  private static boolean isEarly() {
    if (firstCalls >= FIRST) return false;
    firstCalls++;
    return true;
  }

  /** The calls that skip the state transition; null if they could not be linked. */
  private static final class Critical {
    static final @Nullable MethodHandle MALLOC = CFunction.linkShort(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    static final @Nullable MethodHandle FREE = CFunction.linkShort(FunctionDescriptor.ofVoid(JAVA_LONG));
  }

  public static byte getByte(long address) {
    return ALL.get(JAVA_BYTE, address);
  }

  public static void putByte(long address, byte value) {
    ALL.set(JAVA_BYTE, address, value);
  }

  public static short getShort(long address) {
    return ALL.get(JAVA_SHORT_UNALIGNED, address);
  }

  public static void putShort(long address, short value) {
    ALL.set(JAVA_SHORT_UNALIGNED, address, value);
  }

  public static int getInt(long address) {
    return ALL.get(JAVA_INT_UNALIGNED, address);
  }

  public static void putInt(long address, int value) {
    ALL.set(JAVA_INT_UNALIGNED, address, value);
  }

  public static long getLong(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  public static void putLong(long address, long value) {
    ALL.set(JAVA_LONG_UNALIGNED, address, value);
  }

  public static byte[] getBytes(long address, int length) {
    byte[] bytes = new byte[length];
    if (length <= AT_ONCE) {
      MemorySegment.copy(ALL, JAVA_BYTE, address, bytes, 0, length);
    } else {
      copy(segment(address, length), MemorySegment.ofArray(bytes));
    }
    return bytes;
  }

  /**
   * Returns an integer of {@code width} bytes: two's complement, in the platform's byte order, which is little-endian
   * on all supported platforms.
   */
  public static BigInteger getInteger(long address, int width) {
    byte[] bytes = getBytes(address, width);
    for (int low = 0, high = width - 1; low < high; low++, high--) {
      byte swapped = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = swapped;
    }
    return new BigInteger(bytes);
  }

  /** Converts a long between the platform's byte order and big-endian order. */
  public static long bigEndian(long value) {
    return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? value : Long.reverseBytes(value);
  }

  public static void putBytes(long address, byte[] bytes) {
    putBytes(address, bytes, bytes.length);
  }

  /** Writes the first {@code length} bytes of an array. */
  public static void putBytes(long address, byte[] bytes, int length) {
    if (length <= AT_ONCE) {
      MemorySegment.copy(bytes, 0, ALL, JAVA_BYTE, address, length);
    } else {
      copy(MemorySegment.ofArray(bytes).asSlice(0, length), address);
    }
  }

  /**
   * Copies bytes. Ranges that overlap are copied correctly, as by {@code memmove}.
   *
   * <p>All copies of this class run in parts: the JVM cannot stop a thread inside one copy, and at a safepoint all
   * threads wait for it (DEV-51).
   */
  public static void copy(long from, long to, long bytes) {
    copyInParts(ALL, from, ALL, to, bytes);
  }

  /** Copies a whole segment to an address. */
  public static void copy(MemorySegment from, long to) {
    copy(from, 0, ALL, to, from.byteSize());
  }

  public static void copy(long from, MemorySegment to, long at, long bytes) {
    copy(ALL, from, to, at, bytes);
  }

  /** Copies a whole segment to the start of another segment, which may belong to an array. */
  public static void copy(MemorySegment from, MemorySegment to) {
    copy(from, 0, to, 0, from.byteSize());
  }

  private static void copy(MemorySegment from, long start, MemorySegment to, long at, long bytes) {
    if (bytes <= AT_ONCE) { // also for 0 bytes: the copy still checks the access
      MemorySegment.copy(from, start, to, at, bytes);
    } else {
      copyInParts(from, start, to, at, bytes);
    }
  }

  private static void copyInParts(MemorySegment from, long start, MemorySegment to, long at, long bytes) {
    long ahead = to.address() + at - from.address() - start;
    // In the other direction, the copy would overwrite bytes that it has not read yet. If one segment is an array, the
    // direction does not matter.
    boolean isFromEnd = ahead > 0 && ahead < bytes;
    for (long done = 0; done < bytes; done += AT_ONCE) {
      long part = Math.min(AT_ONCE, bytes - done);
      long offset = isFromEnd ? bytes - done - part : done;
      MemorySegment.copy(from, start + offset, to, at + offset, part);
    }
  }

  public static void fill(long address, long bytes, byte value) {
    for (long done = 0; done < bytes; done += AT_ONCE)
      ALL.asSlice(address + done, Math.min(AT_ONCE, bytes - done)).fill(value);
  }

  /** Returns the bytes at an address as a segment; an empty segment for 0. */
  public static MemorySegment segment(long address, long bytes) {
    return address == 0 ? MemorySegment.NULL : MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /** Returns the NUL-terminated UTF-8 string at an address. */
  public static String getString(long address) {
    return ALL.getString(address);
  }
}
