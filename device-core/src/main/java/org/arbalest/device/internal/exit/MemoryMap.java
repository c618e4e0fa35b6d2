// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The mappings of this process's memory, from Linux's list. */
record MemoryMap(List<Mapping> mappings) {
  /**
   * One mapping: the addresses from {@code start} up to, but not including, {@code end}.
   *
   * @param access the access, such as {@code r-xp}
   * @param file the mapped file; empty for a mapping without a file
   */
  record Mapping(long start, long end, String access, String file) {
    /** Parses a line: the addresses, the access, three fields that nothing here uses, and the file after spaces. */
    private static Mapping parse(String line) {
      int dash = line.indexOf('-');
      int space = line.indexOf(' ');
      long start = Long.parseUnsignedLong(line, 0, dash, 16);
      long end = Long.parseUnsignedLong(line, dash + 1, space, 16);
      int access = line.indexOf(' ', space + 1);
      int offset = line.indexOf(' ', access + 1);
      int device = line.indexOf(' ', offset + 1);
      int inode = line.indexOf(' ', device + 1);
      return new Mapping(start, end, line.substring(space + 1, access),
          inode < 0 ? "" : line.substring(inode).stripLeading());
    }

    private boolean has(long address) {
      return Long.compareUnsigned(start, address) <= 0 && Long.compareUnsigned(address, end) < 0;
    }
  }

  /**
   * Returns the current mappings of the files whose path contains a text. A JVM has hundreds of mappings, and parsing
   * them all would take milliseconds at the start.
   */
  static MemoryMap read(String path) throws IOException {
    byte[] lines;
    try (FileInputStream file = new FileInputStream("/proc/self/maps")) { // without the classes of java.nio.file
      lines = file.readAllBytes();
    }
    byte[] wanted = path.getBytes(UTF_8);
    List<Mapping> mappings = new ArrayList<>();
    int start = 0;
    for (int found; (found = find(lines, wanted, start)) >= 0;) {
      while (found > 0 && lines[found - 1] != '\n') found--;
      int end = found;
      while (lines[end] != '\n') end++;
      mappings.add(Mapping.parse(new String(lines, found, end - found, UTF_8)));
      start = end + 1;
    }
    return new MemoryMap(mappings);
  }

  /**
   * Returns the place of some bytes after a start, or −1. Looks at few of the bytes, by the algorithm of Horspool: each
   * pass over them at the start of a JVM makes the JIT compile it.
   */
  private static int find(byte[] text, byte[] wanted, int start) {
    if (wanted.length == 0) return start < text.length ? start : -1;
    int last = wanted.length - 1;
    int[] shifts = new int[256];
    Arrays.fill(shifts, wanted.length);
    for (int i = 0; i < last; i++) shifts[wanted[i] & 0xFF] = last - i;
    for (int at = start + last; at < text.length; at += shifts[text[at] & 0xFF]) {
      int from = at - last;
      if (text[at] == wanted[last] && Arrays.equals(text, from, at + 1, wanted, 0, wanted.length)) return from;
    }
    return -1;
  }

  /** Returns the file that is mapped at an address; empty if no file is mapped there. */
  String fileAt(long address) {
    for (Mapping mapping : mappings) {
      if (mapping.has(address)) return mapping.file;
    }
    return "";
  }

  /**
   * Returns whether all bytes from an address on lie in one mapping of a file whose access begins with {@code access}.
   */
  boolean isMapped(long address, long bytes, String file, String access) {
    for (Mapping mapping : mappings) {
      if (mapping.has(address) && mapping.has(address + bytes - 1))
        return mapping.file.equals(file) && mapping.access.startsWith(access);
    }
    return false;
  }
}
