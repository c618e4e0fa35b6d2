package org.arbalest.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The CUDA driver's library, if it is installed. */
final class CuLibrary {
  private static final List<String> NAMES =
      List.of("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "nvcuda.dll");

  /** The youngest of the functions without which nothing here works; from CUDA 10.0. */
  private static final String YOUNGEST = "cuLaunchHostFunc";

  private static volatile @Nullable SymbolLookup found;

  private CuLibrary() {}

  /** Null if it is there, else why it is not. Looks again each time that it was missing. */
  static @Nullable String missing() {
    return found != null ? null : missing(NAMES);
  }

  static @Nullable String missing(List<String> names) {
    for (String name : names) {
      SymbolLookup lookup;
      try {
        lookup = SymbolLookup.libraryLookup(name, Arena.global());
      } catch (IllegalArgumentException _) {
        continue;
      }
      if (lookup.find(YOUNGEST).isEmpty()) return name + " has no function " + YOUNGEST + "; a driver for CUDA 10.0 or newer is needed";
      found = lookup;
      return null;
    }
    return "no CUDA driver was found; looked for " + String.join(", ", names);
  }

  /** Only after {@link #missing()} said that it is there. */
  static SymbolLookup lookup() {
    SymbolLookup lookup = found;
    if (lookup == null) throw new IllegalStateException("the CUDA driver was not looked for");
    return lookup;
  }
}
