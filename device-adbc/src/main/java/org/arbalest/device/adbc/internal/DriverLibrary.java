// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The native library of a driver and its init function. Libraries are never unloaded. */
final class DriverLibrary {
  /** The name that the init function may have in any library. */
  private static final String USUAL_ENTRY_POINT = "AdbcDriverInit";

  private DriverLibrary() {}

  /** The init function, its name and its library. */
  record EntryPoint(String name, MemorySegment function, SymbolLookup library) {}

  /**
   * Loads a library.
   *
   * @throws IllegalArgumentException if the file does not exist, or is not a library for this process; the message
   *     gives the reason
   */
  static SymbolLookup load(Path library) {
    if (!Files.isRegularFile(library))
      throw new IllegalArgumentException("no ADBC driver at " + library.toAbsolutePath() + ": there is no such file");
    try {
      return SymbolLookup.libraryLookup(library.toAbsolutePath(), Arena.global());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the ADBC driver " + library.toAbsolutePath() + " cannot be loaded"
          + why(library.toAbsolutePath().toString()), e);
    }
  }

  /** Loads a library that the dynamic linker finds by its name; null if it finds none. */
  static @Nullable SymbolLookup tryByName(String name) {
    try {
      return SymbolLookup.libraryLookup(name, Arena.global());
    } catch (IllegalArgumentException _) {
      return null; // the JDK gives no reason; why() does
    }
  }

  /**
   * Returns the init function of a library.
   *
   * @param wanted its name; null for the names that {@code adbc.h} recommends
   */
  static EntryPoint entryPoint(SymbolLookup library, String fileName, @Nullable String wanted) {
    Set<String> names = wanted == null ? entryPoints(fileName) : Set.of(wanted);
    for (String name : names) {
      MemorySegment function = library.find(name).orElse(null);
      if (function != null) return new EntryPoint(name, function, library);
    }
    String hint =
        wanted == null ? "; if its init function has another name, such as duckdb_adbc_init, pass that name" : "";
    throw new IllegalArgumentException(
        fileName + " is not an ADBC driver: it has no function " + String.join(", nor ", names) + hint);
  }

  /**
   * Returns the names that {@code adbc.h} recommends: for {@code libadbc_driver_sqlite.so.2} these are
   * AdbcDriverSqliteInit and AdbcDriverInit.
   */
  static Set<String> entryPoints(String fileName) {
    String stem = fileName.substring(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
    int dot = stem.indexOf('.');
    if (dot >= 0) stem = stem.substring(0, dot);
    if (stem.startsWith("lib")) stem = stem.substring(3);
    List<String> words = new ArrayList<>();
    for (String word : stem.split("[-_]", -1)) {
      if (!word.isEmpty()) words.add(word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
    }
    String name = String.join("", words);
    Set<String> names = new LinkedHashSet<>();
    names.add((name.startsWith("Adbc") ? name : "Adbc" + name) + "Init");
    names.add(USUAL_ENTRY_POINT);
    return names;
  }

  /** Returns the dynamic linker's error message, which the JDK does not report; empty if it has none. */
  static String why(String library) {
    Linker linker = Linker.nativeLinker();
    MemorySegment open = linker.defaultLookup().find("dlopen").orElse(null);
    MemorySegment error = linker.defaultLookup().find("dlerror").orElse(null);
    if (open == null || error == null) return "";
    try (Arena arena = Arena.ofConfined()) {
      var opened = (MemorySegment) linker.downcallHandle(open, FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT))
          .invokeExact(arena.allocateFrom(library), 1);
      if (opened.address() != 0) return ""; // loading succeeds now
      String text =
          CText.read((MemorySegment) linker.downcallHandle(error, FunctionDescriptor.of(ADDRESS)).invokeExact());
      return text.isEmpty() ? "" : ": " + text;
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }
}
