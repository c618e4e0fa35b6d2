// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/**
 * A GPU's memory as other processes open it: by {@code cuIpcGetMemHandle}, which shares what {@code cuMemAlloc} gave, and no pool's memory. Small pieces the
 * driver takes out of blocks of 2 MiB, and shares the block: so whole ones are asked for, in which nobody else has anything.
 */
final class CudaSharing implements ProcessSharing {
  private static final long UNIT = 2L << 20;

  /** The first byte of a handle says how it is opened; there may be others one day. */
  private static final byte LEGACY = 1;

  private final Gpu gpu;

  /** Where blocks begin whose address had to be rounded up. */
  private final Map<Long, Long> blocks = new ConcurrentHashMap<>();

  CudaSharing(Gpu gpu) {
    this.gpu = gpu;
    CuIpc.load();
  }

  @Override
  public boolean isCpuAccessible() {
    return false;
  }

  @Override
  public long allocate(long bytes, long alignment) {
    long block = allocateBlock(bytes);
    if ((block & (alignment - 1)) == 0) return block;
    free(block, bytes);
    block = allocateBlock(bytes + alignment);
    long address = (block + alignment - 1) & -alignment;
    if (address != block) blocks.put(address, block);
    return address;
  }

  private long allocateBlock(long bytes) {
    long size = (bytes + UNIT - 1) & -UNIT;
    MemorySegment scratch = Cu.scratch();
    int code = size < bytes ? Cu.OUT_OF_MEMORY : tryAllocate(scratch, size);
    if (code == Cu.OUT_OF_MEMORY && size >= bytes) { // what is being freed, or kept, may do
      Frees.drain();
      gpu.pool.trim();
      code = tryAllocate(scratch, size);
    }
    if (code != Cu.SUCCESS) throw gpu.error("cuMemAlloc", code, bytes + " bytes that can be shared, in units of " + UNIT);
    return scratch.get(JAVA_LONG, 0);
  }

  private int tryAllocate(MemorySegment out, long size) {
    gpu.enter();
    int code = CuMemory.memAlloc(out.address(), size);
    gpu.leave();
    return code;
  }

  /** Waits until the GPU is idle: so another thread does it. */
  @Override
  public void free(long address, long bytes) {
    Long rounded = blocks.isEmpty() ? null : blocks.remove(address);
    long block = rounded == null ? address : rounded;
    Frees.submit(() -> {
      gpu.enter();
      int code = CuMemory.memFree(block);
      gpu.leave();
      if (code != Cu.DEINITIALIZED) gpu.check(code, "cuMemFree");
    });
  }

  @Override
  public Exported export(long address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(2 * Long.BYTES, 8);
      MemorySegment handle = arena.allocate(CuIpc.HANDLE_BYTES, 8);
      gpu.enter();
      int asked = CuMemory.pointerGetAttribute(out.address(), CuIpc.IS_LEGACY_IPC_CAPABLE, address);
      boolean isRefused = asked == Cu.SUCCESS && out.get(JAVA_INT, 0) == 0;
      int ranged = isRefused ? Cu.SUCCESS : CuIpc.memGetAddressRange(out.address(), out.address() + Long.BYTES, address);
      long base = out.get(JAVA_LONG, 0);
      int code = isRefused || ranged != Cu.SUCCESS ? Cu.SUCCESS : CuIpc.getMemHandle(handle.address(), base);
      gpu.leave();
      if (isRefused) throw DeviceException.invalid(at(address) + " is in a pool, or mapped, and not in what cuMemAlloc gave, which alone is shared");
      if (ranged != Cu.SUCCESS) throw gpu.error("cuMemGetAddressRange", ranged, at(address));
      if (code != Cu.SUCCESS) throw gpu.error("cuIpcGetMemHandle", code, at(base));
      return new Exported(base, out.get(JAVA_LONG, Long.BYTES), bytes(handle));
    }
  }

  private static String at(long address) {
    return "0x" + Long.toHexString(address);
  }

  private static byte[] bytes(MemorySegment handle) {
    byte[] bytes = new byte[1 + (int) CuIpc.HANDLE_BYTES];
    bytes[0] = LEGACY;
    MemorySegment.copy(handle, JAVA_BYTE, 0, bytes, 1, (int) CuIpc.HANDLE_BYTES);
    return bytes;
  }

  private static MemorySegment segment(byte[] handle, Arena arena) {
    if (handle.length != 1 + CuIpc.HANDLE_BYTES || handle[0] != LEGACY) {
      String form = handle.length == 0 ? "" : " of form " + handle[0];
      throw DeviceException.invalid("a handle" + form + " with " + handle.length + " bytes is none of CUDA's that this release knows");
    }
    MemorySegment segment = arena.allocate(CuIpc.HANDLE_BYTES, 8);
    MemorySegment.copy(handle, 1, segment, JAVA_BYTE, 0, (int) CuIpc.HANDLE_BYTES);
    return segment;
  }

  @Override
  public long open(byte[] handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = segment(handle, arena);
      MemorySegment out = arena.allocate(JAVA_LONG);
      gpu.enter();
      int code = CuIpc.openMemHandle(out.address(), value, CuIpc.MEM_LAZY_ENABLE_PEER_ACCESS);
      gpu.leave();
      if (code == CuIpc.MAP_FAILED) throw gone("cuIpcOpenMemHandle", code);
      gpu.check(code, "cuIpcOpenMemHandle");
      return out.get(JAVA_LONG, 0);
    }
  }

  private DeviceException gone(String function, int code) {
    String why = "; what was shared is freed, or the process that shared it is gone";
    return new DeviceException(Errno.EINVAL, function + " on " + gpu.name + " failed: " + CuErrors.describe(code) + why);
  }

  @Override
  public void close(long base, Consumer<@Nullable DeviceException> closed) {
    Frees.submit(() -> closed.accept(tryClose(base)));
  }

  private @Nullable DeviceException tryClose(long base) {
    try {
      gpu.enter();
      int code = CuIpc.closeMemHandle(base);
      gpu.leave();
      return code == Cu.SUCCESS || code == Cu.DEINITIALIZED ? null : gpu.error("cuIpcCloseMemHandle", code, at(base));
    } catch (DeviceException e) {
      return e;
    }
  }

  @Override
  public long record(long queue) {
    MemorySegment scratch = Cu.scratch();
    boolean isKnown = Cu.deviceGetAttribute(scratch.address(), CuIpc.IPC_EVENT_SUPPORTED, gpu.device()) == Cu.SUCCESS;
    if (isKnown && scratch.get(JAVA_INT, 0) == 0) return 0;
    gpu.enter();
    int created = Cu.eventCreate(scratch.address(), Cu.EVENT_DISABLE_TIMING | Cu.EVENT_BLOCKING_SYNC | CuIpc.EVENT_INTERPROCESS);
    long event = scratch.get(JAVA_LONG, 0);
    int recorded = created == Cu.SUCCESS ? Cu.eventRecord(event, queue) : created;
    int destroyed = created == Cu.SUCCESS && recorded != Cu.SUCCESS ? Cu.eventDestroy(event) : Cu.SUCCESS;
    gpu.leave();
    gpu.check(created, "cuEventCreate");
    if (recorded == Cu.SUCCESS) return event;
    var failure = gpu.error("cuEventRecord", recorded, "");
    if (destroyed != Cu.SUCCESS) failure.addSuppressed(gpu.error("cuEventDestroy", destroyed, ""));
    throw failure;
  }

  @Override
  public byte[] exportEvent(long event) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handle = arena.allocate(CuIpc.HANDLE_BYTES, 8);
      gpu.enter();
      int code = CuIpc.getEventHandle(handle.address(), event);
      gpu.leave();
      gpu.check(code, "cuIpcGetEventHandle");
      return bytes(handle);
    }
  }

  @Override
  public long openEvent(byte[] handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = segment(handle, arena);
      MemorySegment out = arena.allocate(JAVA_LONG);
      gpu.enter();
      int code = CuIpc.openEventHandle(out.address(), value);
      gpu.leave();
      if (code == CuIpc.MAP_FAILED) throw gone("cuIpcOpenEventHandle", code);
      gpu.check(code, "cuIpcOpenEventHandle");
      return out.get(JAVA_LONG, 0);
    }
  }
}
