// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The CUDA driver's library, if it is installed. */
final class CuLibrary {
  private static final List<String> NAMES = List.of("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "nvcuda.dll");

  /** The functions of {@link Cu} with their native types, by name. */
  private static final Map<String, Function> FUNCTIONS = new ConcurrentHashMap<>();

  private static volatile @Nullable SymbolLookup found;

  private CuLibrary() {}

  /** A function's native type, the first CUDA version with it, and whether a driver may lack it nevertheless. */
  record Function(FunctionDescriptor type, int since, boolean isOptional) {}

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
      for (String function : CuNeeded.NAMES) {
        if (lookup.find(function).isPresent()) continue;
        return name + " has no function " + function + "; a driver for CUDA " + CuFunction.version(Cu.OLDEST)
            + " or newer is needed";
      }
      found = lookup;
      return null;
    }
    return "no CUDA driver was found; looked for " + String.join(", ", names);
  }

  /** Links a function that returns a {@code CUresult}, and adds it to the table. */
  static MethodHandle link(String name, int since, MemoryLayout... arguments) {
    FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, arguments);
    boolean isOptional = !CuNeeded.NAMES.contains(name);
    FUNCTIONS.put(name, new Function(type, since, isOptional));
    return handle(name, type, isOptional);
  }

  /**
   * Returns a function's handle; the library must have been found. A missing optional function returns
   * {@link Cu#NOT_SUPPORTED}.
   */
  static MethodHandle handle(String name, FunctionDescriptor type, boolean isOptional) {
    SymbolLookup lookup = found;
    if (lookup == null) throw new IllegalStateException("the CUDA driver was not searched for");
    Optional<MemorySegment> address = lookup.find(name);
    if (address.isPresent()) return Linker.nativeLinker().downcallHandle(address.get(), type);
    if (!isOptional) throw new IllegalStateException("the CUDA driver has no function " + name);
    return MethodHandles.dropArguments(MethodHandles.constant(int.class, Cu.NOT_SUPPORTED), 0,
        type.toMethodType().parameterList());
  }

  /** Returns whether the driver has a function. */
  static boolean has(String name) {
    SymbolLookup lookup = found;
    return lookup != null && lookup.find(name).isPresent();
  }

  /** Returns the table, for tests. It is complete after {@link Cu} is initialised. */
  static Map<String, Function> functions() {
    return Map.copyOf(FUNCTIONS);
  }
}
