// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.cpu;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.memory.CFunction;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.spi.SynchronousDriver;

/** Main memory by {@code malloc}, aligned by hand: the portable ways to ask for alignment differ in how they free. */
public final class CpuDriver implements SynchronousDriver {
  private static final MemorySegment MALLOC = Linker.nativeLinker().defaultLookup().findOrThrow("malloc");
  private static final MemorySegment FREE = Linker.nativeLinker().defaultLookup().findOrThrow("free");

  @Override
  public boolean isCpuAccessible() {
    return true;
  }

  /** The block's own address is kept in the eight bytes before the one returned. */
  @Override
  public long allocate(long bytes, long alignment) {
    long align = Math.max(alignment, Long.BYTES);
    long room = bytes + align + Long.BYTES;
    long block = room < bytes ? 0 : CFunction.call(MALLOC, room, 0, 0, 0, 0, 0);
    if (block == 0) {
      throw new DeviceException(Errno.ENOMEM, "malloc on CPU failed: ENOMEM, asked for " + bytes + " bytes");
    }
    long address = (block + Long.BYTES + align - 1) & -align;
    NativeHeap.putLong(address - Long.BYTES, block);
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    CFunction.call(FREE, NativeHeap.getLong(address - Long.BYTES), 0, 0, 0, 0, 0);
  }

  @Override
  public void copy(long queue, long to, long from, long bytes) {
    NativeHeap.copy(from, to, bytes);
  }
}
