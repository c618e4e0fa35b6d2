// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    private static Mapping parse(String line) {
      String[] fields = line.split(" +", 6);
      int dash = line.indexOf('-');
      long start = Long.parseUnsignedLong(line, 0, dash, 16);
      long end = Long.parseUnsignedLong(line, dash + 1, fields[0].length(), 16);
      return new Mapping(start, end, fields[1], fields.length < 6 ? "" : fields[5]);
    }

    private boolean has(long address) {
      return Long.compareUnsigned(start, address) <= 0 && Long.compareUnsigned(address, end) < 0;
    }
  }

  /** Returns the current mappings. */
  static MemoryMap read() throws IOException {
    return new MemoryMap(Files.readAllLines(Path.of("/proc/self/maps")).stream().map(Mapping::parse).toList());
  }

  /** Returns the file that is mapped at an address; empty if no file is mapped there. */
  String fileAt(long address) {
    return mappings.stream().filter(mapping -> mapping.has(address)).map(Mapping::file).findFirst().orElse("");
  }

  /**
   * Returns whether all bytes from an address on lie in one mapping of a file whose access begins with {@code access}.
   */
  boolean isMapped(long address, long bytes, String file, String access) {
    return mappings.stream()
        .filter(mapping -> mapping.has(address) && mapping.has(address + bytes - 1))
        .anyMatch(mapping -> mapping.file.equals(file) && mapping.access.startsWith(access));
  }
}
