// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Compares and hashes bytes in CPU memory, eight at a time. Most values are short, so branches are the main cost. */
public final class NativeBytes {
  private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** An odd number without a pattern: 2^64 divided by the golden ratio. */
  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  private NativeBytes() {}

  /** Returns whether the bytes at an address are equal to those of an array. */
  public static boolean equal(long address, byte[] bytes) {
    int length = bytes.length;
    if (length < Long.BYTES) return packed(address, length) == packed(bytes);
    int last = length - Long.BYTES; // the last word overlaps the one before
    for (int i = 0; i < last; i += Long.BYTES)
      if (NativeHeap.getLong(address + i) != (long) LONGS.get(bytes, i)) return false;
    return NativeHeap.getLong(address + last) == (long) LONGS.get(bytes, last);
  }

  /** Returns whether the bytes at two addresses are equal. */
  public static boolean equal(long address, long other, long length) {
    if (length < Long.BYTES) return packed(address, (int) length) == packed(other, (int) length);
    long last = length - Long.BYTES;
    for (long i = 0; i < last; i += Long.BYTES)
      if (NativeHeap.getLong(address + i) != NativeHeap.getLong(other + i)) return false;
    return NativeHeap.getLong(address + last) == NativeHeap.getLong(other + last);
  }

  /**
   * Packs fewer than eight bytes into one number. Among values of one length, different contents have different
   * numbers.
   */
  private static long packed(long address, int length) {
    if (length >= Integer.BYTES)
      return pack(NativeHeap.getInt(address), NativeHeap.getInt(address + length - Integer.BYTES));
    if (length == 0) return 0;
    return pack(NativeHeap.getByte(address), NativeHeap.getByte(address + (length >> 1)),
        NativeHeap.getByte(address + length - 1));
  }

  private static long packed(byte[] bytes) {
    int length = bytes.length;
    if (length >= Integer.BYTES) return pack((int) INTS.get(bytes, 0), (int) INTS.get(bytes, length - Integer.BYTES));
    return length == 0 ? 0 : pack(bytes[0], bytes[length >> 1], bytes[length - 1]);
  }

  private static long pack(int first, int last) {
    return Integer.toUnsignedLong(first) | (long) last << Integer.SIZE;
  }

  private static long pack(byte first, byte middle, byte last) {
    return Byte.toUnsignedInt(first) | Byte.toUnsignedInt(middle) << 8 | Byte.toUnsignedInt(last) << 16;
  }

  /** Compares bytes as unsigned numbers. The first difference decides; a prefix of a longer value is less than it. */
  public static int compare(long address, long length, byte[] bytes) {
    long common = Math.min(length, bytes.length);
    int at = 0;
    while (at <= common - Long.BYTES && NativeHeap.getLong(address + at) == (long) LONGS.get(bytes, at))
      at += Long.BYTES;
    for (; at < common; at++) {
      byte mine = NativeHeap.getByte(address + at);
      if (mine != bytes[at]) return Byte.compareUnsigned(mine, bytes[at]);
    }
    return Long.compare(length, bytes.length);
  }

  /** Compares bytes as unsigned numbers. The first difference decides; a prefix of a longer value is less than it. */
  public static int compare(long address, long length, long other, long otherLength) {
    long common = Math.min(length, otherLength);
    long at = 0;
    while (at <= common - Long.BYTES && NativeHeap.getLong(address + at) == NativeHeap.getLong(other + at))
      at += Long.BYTES;
    for (; at < common; at++) {
      byte mine = NativeHeap.getByte(address + at);
      byte theirs = NativeHeap.getByte(other + at);
      if (mine != theirs) return Byte.compareUnsigned(mine, theirs);
    }
    return Long.compare(length, otherLength);
  }

  /** Returns a hash of bytes, spread over all 32 bits. */
  public static int hash(long address, long length) {
    long hash = length;
    if (length < Long.BYTES) {
      hash = mix(hash, packed(address, (int) length));
    } else {
      long last = length - Long.BYTES;
      for (long i = 0; i < last; i += Long.BYTES) hash = mix(hash, NativeHeap.getLong(address + i));
      hash = mix(hash, NativeHeap.getLong(address + last));
    }
    return (int) ((hash * MULTIPLIER) >>> Integer.SIZE);
  }

  private static long mix(long hash, long word) {
    long mixed = (hash ^ word) * MULTIPLIER;
    return mixed ^ mixed >>> Integer.SIZE;
  }
}
