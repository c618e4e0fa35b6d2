// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.cpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.spi.SynchronousDriver;

/** Main memory by {@code malloc}, aligned by hand: the portable ways to ask for alignment differ in how they free. */
final class CpuDriver implements SynchronousDriver {
  private static final MethodHandle MALLOC = libc("malloc", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
  private static final MethodHandle FREE = libc("free", FunctionDescriptor.ofVoid(JAVA_LONG));
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  @Override
  public boolean isCpuAccessible() {
    return true;
  }

  /** The block's own address is kept in the eight bytes before the one returned. */
  @Override
  public long allocate(long bytes, long alignment) {
    long align = Math.max(alignment, Long.BYTES);
    long room = bytes + align + Long.BYTES;
    long block = room < bytes ? 0 : malloc(room);
    if (block == 0) {
      throw new DeviceException(Errno.ENOMEM, "malloc on CPU failed: ENOMEM, asked for " + bytes + " bytes");
    }
    long address = (block + Long.BYTES + align - 1) & -align;
    ALL.set(JAVA_LONG, address - Long.BYTES, block);
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    try {
      FREE.invokeExact(ALL.get(JAVA_LONG, address - Long.BYTES));
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  @Override
  public void copy(long queue, long to, long from, long bytes) {
    NativeHeap.copy(from, to, bytes);
  }

  private static long malloc(long bytes) {
    try {
      return (long) MALLOC.invokeExact(bytes);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  private static MethodHandle libc(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }
}
