// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import static java.lang.Integer.rotateLeft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The checksum of LZ4 frames: xxHash with 32 bits and the seed 0. */
final class XxHash32 {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int P1 = 0x9E3779B1;
  private static final int P2 = 0x85EBCA77;
  private static final int P3 = 0xC2B2AE3D;
  private static final int P4 = 0x27D4EB2F;
  private static final int P5 = 0x165667B1;

  private XxHash32() {}

  /** Returns the checksum of {@code size} bytes from {@code from}. */
  static int of(MemorySegment data, long from, long size) {
    long at = from;
    long end = from + size;
    int hash = P5;
    if (size >= 16) {
      int a = 0x24234428; // P1 + P2, which overflows
      int b = P2;
      int c = 0;
      int d = -P1;
      for (; at <= end - 16; at += 16) {
        a = round(a, data.get(INT, at));
        b = round(b, data.get(INT, at + 4));
        c = round(c, data.get(INT, at + 8));
        d = round(d, data.get(INT, at + 12));
      }
      hash = rotateLeft(a, 1) + rotateLeft(b, 7) + rotateLeft(c, 12) + rotateLeft(d, 18);
    }
    hash += (int) size;
    for (; at <= end - 4; at += 4) {
      hash = rotateLeft(hash + data.get(INT, at) * P3, 17) * P4;
    }
    for (; at < end; at++) {
      hash = rotateLeft(hash + (data.get(ValueLayout.JAVA_BYTE, at) & 0xFF) * P5, 11) * P1;
    }
    hash = (hash ^ (hash >>> 15)) * P2;
    hash = (hash ^ (hash >>> 13)) * P3;
    return hash ^ (hash >>> 16);
  }

  private static int round(int lane, int value) {
    return rotateLeft(lane + value * P2, 13) * P1;
  }
}
