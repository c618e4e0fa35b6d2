// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The unified shared memory of one device: the functions of its platform, and the kinds that the device has. The
 * functions belong to the platform, and are therefore called by their addresses. They return OpenCL's code, 0 for
 * success.
 */
final class Usm {
  private static final String EXTENSION = "cl_intel_unified_shared_memory";

  private static final int HOST_CAPABILITIES = 0x4190;
  private static final int DEVICE_CAPABILITIES = 0x4191;
  private static final int SHARED_CAPABILITIES = 0x4192;
  private static final long ACCESS = 1;

  private static final int ALLOC_TYPE = 0x419A;
  private static final int TYPE_HOST = 0x4197;
  private static final int TYPE_DEVICE = 0x4198;
  private static final int TYPE_SHARED = 0x4199;

  private static final MethodHandle HOST_ALLOC =
      unbound(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle DEVICE_ALLOC =
      unbound(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle FREE = unbound(JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle INFO =
      unbound(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEMCPY =
      unbound(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);

  private final MemorySegment hostAlloc;
  private final MemorySegment deviceAlloc;
  private final MemorySegment sharedAlloc;
  private final MemorySegment free;
  private final MemorySegment info;
  private final MemorySegment memcpy;
  private final Set<UnifiedMemory> kinds;

  private Usm(MemorySegment[] functions, Set<UnifiedMemory> kinds) {
    this.hostAlloc = functions[0];
    this.deviceAlloc = functions[1];
    this.sharedAlloc = functions[2];
    this.free = functions[3];
    this.info = functions[4];
    this.memcpy = functions[5];
    this.kinds = kinds;
  }

  /**
   * Returns the unified shared memory of a device, or null if it has none.
   *
   * @param extensions the extensions of the device
   * @param capabilities returns the result of a query by clGetDeviceInfo, 0 if the query is unknown
   */
  static @Nullable Usm of(long platform, String extensions, IntToLongFunction capabilities) {
    if (!Arrays.asList(extensions.split(" ")).contains(EXTENSION)) return null;
    Set<UnifiedMemory> kinds = EnumSet.noneOf(UnifiedMemory.class);
    if ((capabilities.applyAsLong(DEVICE_CAPABILITIES) & ACCESS) != 0) kinds.add(UnifiedMemory.DEVICE);
    if ((capabilities.applyAsLong(HOST_CAPABILITIES) & ACCESS) != 0) kinds.add(UnifiedMemory.HOST);
    if ((capabilities.applyAsLong(SHARED_CAPABILITIES) & ACCESS) != 0) kinds.add(UnifiedMemory.SHARED);
    String[] names = {
        "clHostMemAllocINTEL", "clDeviceMemAllocINTEL", "clSharedMemAllocINTEL", "clMemFreeINTEL",
        "clGetMemAllocInfoINTEL", "clEnqueueMemcpyINTEL"
    };
    MemorySegment[] functions = new MemorySegment[names.length];
    try (Arena arena = Arena.ofConfined()) {
      for (int i = 0; i < names.length; i++) {
        long function = Cl.getExtensionFunction(platform, arena.allocateFrom(names[i]).address());
        if (function == 0) return null;
        functions[i] = MemorySegment.ofAddress(function);
      }
    }
    return new Usm(functions, kinds);
  }

  boolean has(UnifiedMemory kind) {
    return kinds.contains(kind);
  }

  /** Returns the name of the function that allocates a kind, for error messages. */
  static String allocator(UnifiedMemory kind) {
    return switch (kind) {
      case DEVICE -> "clDeviceMemAllocINTEL";
      case HOST -> "clHostMemAllocINTEL";
      case SHARED -> "clSharedMemAllocINTEL";
    };
  }

  /** Allocates memory, and returns its address. After a failure it returns 0, and the code is at {@code error}. */
  long allocate(UnifiedMemory kind, long context, long device, long bytes, int alignment, long error) {
    try {
      return switch (kind) {
        case DEVICE -> (long) DEVICE_ALLOC.invokeExact(deviceAlloc, context, device, 0L, bytes, alignment, error);
        case HOST -> (long) HOST_ALLOC.invokeExact(hostAlloc, context, 0L, bytes, alignment, error);
        case SHARED -> (long) DEVICE_ALLOC.invokeExact(sharedAlloc, context, device, 0L, bytes, alignment, error);
      };
    } catch (Throwable t) {
      throw Cl.unexpected(t);
    }
  }

  /** Frees memory. Does not wait for work that uses the memory: the caller has waited for it. */
  int free(long context, long address) {
    try {
      return (int) FREE.invokeExact(free, context, address);
    } catch (Throwable t) {
      throw Cl.unexpected(t);
    }
  }

  /** Returns the kind of unified shared memory at an address in a context; null for any other address. */
  @Nullable
  UnifiedMemory kindOf(long context, long address) {
    if (address == 0) return null;
    MemorySegment scratch = Cl.scratch();
    int code;
    try {
      code = (int) INFO.invokeExact(info, context, address, ALLOC_TYPE, (long) Integer.BYTES, scratch.address(), 0L);
    } catch (Throwable t) {
      throw Cl.unexpected(t);
    }
    if (code != 0) return null;
    return switch (scratch.get(JAVA_INT, 0)) {
      case TYPE_DEVICE -> UnifiedMemory.DEVICE;
      case TYPE_HOST -> UnifiedMemory.HOST;
      case TYPE_SHARED -> UnifiedMemory.SHARED;
      default -> null;
    };
  }

  int enqueueMemcpy(long queue, long to, long from, long size, long event) {
    try {
      return (int) MEMCPY.invokeExact(memcpy, queue, 0, to, from, size, 0, 0L, event);
    } catch (Throwable t) {
      throw Cl.unexpected(t);
    }
  }

  private static MethodHandle unbound(MemoryLayout result, MemoryLayout... arguments) {
    return Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(result, arguments));
  }
}
