// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The OpenCL loader, if it is installed. */
final class ClLibrary {
  private static final List<String> NAMES =
      List.of("libOpenCL.so.1", "libOpenCL.so", "OpenCL.dll", "/System/Library/Frameworks/OpenCL.framework/OpenCL");

  /** The functions of OpenCL 2.0 that this backend requires. */
  private static final List<String> NEEDED =
      List.of("clSVMAlloc", "clEnqueueSVMMemcpy", "clCreateCommandQueueWithProperties");

  private static volatile @Nullable SymbolLookup found;

  /** A test's functions, which take precedence over the loader's functions. */
  private static SymbolLookup preceding = _ -> Optional.empty();

  private ClLibrary() {}

  /** Returns null if the library is available, otherwise the reason. Looks again on each call until it is found. */
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
      for (String function : NEEDED) {
        if (lookup.find(function).isEmpty()) return name + " has no function " + function + "; OpenCL 2.0 is needed";
      }
      SymbolLookup loader = lookup;
      SymbolLookup before = preceding;
      found = function -> before.find(function).or(() -> loader.find(function));
      return null;
    }
    return "no OpenCL library was found; looked for " + String.join(", ", names);
  }

  /**
   * Gives a test's functions precedence over the loader's functions. Call it before the first search for the loader.
   */
  static void precede(SymbolLookup functions) {
    if (found != null)
      throw new IllegalStateException("the OpenCL library is already in use: these tests need a process of their own");
    preceding = functions;
  }

  /** Returns the functions. Call it only after {@link #missing()} has returned null. */
  static SymbolLookup lookup() {
    SymbolLookup lookup = found;
    if (lookup == null) throw new IllegalStateException("the OpenCL library was not searched for");
    return lookup;
  }
}
