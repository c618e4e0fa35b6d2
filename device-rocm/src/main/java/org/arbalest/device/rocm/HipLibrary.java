// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * HIP's library, if {@link HipSearch} finds it. A library that the process has already loaded is preferred, because the
 * streams and memory of others come from it.
 */
final class HipLibrary {
  private static final int RTLD_LAZY = 1;
  private static final int RTLD_NOLOAD = 4;

  /** The functions of {@link Hip} with their native types, by name. */
  private static final Map<String, Function> FUNCTIONS = new ConcurrentHashMap<>();

  private static volatile @Nullable SymbolLookup found;

  private HipLibrary() {}

  /** A function's native type, the first HIP version with it, and whether a release may lack it nevertheless. */
  record Function(FunctionDescriptor type, int since, boolean isOptional) {}

  /** Returns null if the library is available, otherwise the reason. Looks again on each call until it is found. */
  static @Nullable String missing() {
    if (found != null) return null;
    HipSearch search = HipSearch.ofProcess();
    String refusal = search.refusal();
    if (refusal != null) return refusal;
    String missing = missing(search.names());
    return missing == null ? null : missing + search.others();
  }

  static @Nullable String missing(List<String> names) {
    for (String name : loadedFirst(names)) {
      SymbolLookup lookup;
      try {
        lookup = SymbolLookup.libraryLookup(name, Arena.global());
      } catch (IllegalArgumentException _) {
        continue;
      }
      for (String function : HipNeeded.NAMES) {
        if (lookup.find(function).isPresent()) continue;
        return name + " has no function " + function + "; ROCm " + HipFunction.version(Hip.OLDEST)
            + " or newer is needed";
      }
      found = lookup;
      return null;
    }
    return "HIP was not found; looked for " + String.join(", ", names);
  }

  /**
   * Returns the names, loaded libraries first. If {@code dlopen} exists, it finds a loaded library by its SONAME,
   * wherever the library was loaded from.
   */
  private static List<String> loadedFirst(List<String> names) {
    Optional<MemorySegment> function = Linker.nativeLinker().defaultLookup().find("dlopen");
    if (function.isEmpty()) return names;
    MethodHandle dlopen =
        Linker.nativeLinker().downcallHandle(function.get(), FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      List<String> sorted = new ArrayList<>(names);
      sorted.sort(Comparator.comparing(name -> !isLoaded(dlopen, arena.allocateFrom(name))));
      return sorted;
    }
  }

  private static boolean isLoaded(MethodHandle dlopen, MemorySegment name) {
    try {
      return (long) dlopen.invokeExact(name, RTLD_LAZY | RTLD_NOLOAD) != 0;
    } catch (Throwable t) {
      throw new AssertionError(t); // a call by a handle of the right type throws nothing
    }
  }

  /** Links a function that returns a {@code hipError_t}, and adds it to the table. */
  static MethodHandle link(String name, int since, MemoryLayout... arguments) {
    return link(name, since, FunctionDescriptor.of(JAVA_INT, arguments));
  }

  /** Links a function that returns a {@code const char*}, and adds it to the table. The function must exist. */
  static MethodHandle linkText(String name, int since, MemoryLayout... arguments) {
    return link(name, since, FunctionDescriptor.of(ADDRESS, arguments));
  }

  private static MethodHandle link(String name, int since, FunctionDescriptor type) {
    boolean isOptional = !HipNeeded.NAMES.contains(name);
    FUNCTIONS.put(name, new Function(type, since, isOptional));
    return handle(name, type, isOptional);
  }

  /**
   * Returns a function's handle; the library must have been found. A missing optional function returns
   * {@link Hip#NOT_SUPPORTED}.
   */
  static MethodHandle handle(String name, FunctionDescriptor type, boolean isOptional) {
    SymbolLookup lookup = found;
    if (lookup == null) throw new IllegalStateException("HIP was not searched for");
    Optional<MemorySegment> address = lookup.find(name);
    if (address.isPresent()) return Linker.nativeLinker().downcallHandle(address.get(), type);
    if (!isOptional) throw new IllegalStateException("HIP has no function " + name);
    return MethodHandles.dropArguments(MethodHandles.constant(int.class, Hip.NOT_SUPPORTED), 0,
        type.toMethodType().parameterList());
  }

  /** Returns whether the library has a function. */
  static boolean has(String name) {
    SymbolLookup lookup = found;
    return lookup != null && lookup.find(name).isPresent();
  }

  /** Returns the table, for tests. It is complete after {@link Hip} is initialised. */
  static Map<String, Function> functions() {
    return Map.copyOf(FUNCTIONS);
  }
}
