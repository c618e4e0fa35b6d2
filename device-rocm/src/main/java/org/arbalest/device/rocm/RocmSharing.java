// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
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
 * A GPU's memory as other processes open it: by {@code hipIpcGetMemHandle}, which shares what {@code hipMalloc} gave. Small pieces the runtime takes out of
 * larger blocks, and shares the block: so units of 2 MiB are asked for, in which nobody else has anything.
 *
 * <p>No events: HIP's wait for other processes' in host functions, and let a thread wait that queues such a wait (see decision 31). What is shared is waited for
 * before.
 */
final class RocmSharing implements ProcessSharing {
  private static final long UNIT = 2L << 20;

  /** The first byte of a handle says how it is opened; there may be others one day. */
  private static final byte LEGACY = 1;

  private final Gpu gpu;

  /** Where blocks begin whose address had to be rounded up. */
  private final Map<Long, Long> blocks = new ConcurrentHashMap<>();

  RocmSharing(Gpu gpu) {
    this.gpu = gpu;
    HipIpc.load();
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
    MemorySegment scratch = Hip.scratch();
    int code = size < bytes ? Hip.OUT_OF_MEMORY : tryAllocate(scratch, size);
    if (code == Hip.OUT_OF_MEMORY && size >= bytes) { // what is being freed, or kept, may do
      HipErrors.forget();
      Frees.drain();
      gpu.pool.trim();
      code = tryAllocate(scratch, size);
    }
    if (code != Hip.SUCCESS) throw gpu.error("hipMalloc", code, bytes + " bytes that can be shared, in units of " + UNIT);
    return scratch.get(JAVA_LONG, 0);
  }

  private int tryAllocate(MemorySegment out, long size) {
    int before = gpu.enter();
    int code = HipMemory.malloc(out.address(), size);
    gpu.leave(before);
    return code;
  }

  /** Waits until the GPU is idle: so another thread does it. */
  @Override
  public void free(long address, long bytes) {
    Long rounded = blocks.isEmpty() ? null : blocks.remove(address);
    long block = rounded == null ? address : rounded;
    Frees.submit(() -> {
      int code = HipMemory.free(block);
      if (code != Hip.DEINITIALIZED) gpu.check(code, "hipFree");
    });
  }

  @Override
  public Exported export(long address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(2 * Long.BYTES, 8);
      MemorySegment handle = arena.allocate(HipIpc.HANDLE_BYTES, 8);
      int before = gpu.enter();
      int ranged = HipIpc.memGetAddressRange(out.address(), out.address() + Long.BYTES, address);
      long base = out.get(JAVA_LONG, 0);
      int code = ranged == Hip.SUCCESS ? HipIpc.getMemHandle(handle.address(), base) : Hip.SUCCESS;
      gpu.leave(before);
      if (ranged != Hip.SUCCESS) throw gpu.error("hipMemGetAddressRange", ranged, at(address));
      if (code == HipIpc.INVALID_DEVICE_POINTER) {
        HipErrors.forget();
        String why = " is not in what hipMalloc gave, which alone is shared, but in a pool maybe";
        throw DeviceException.invalid(at(address) + why + " (hipIpcGetMemHandle: " + HipErrors.describe(code) + ")");
      }
      if (code != Hip.SUCCESS) throw gpu.error("hipIpcGetMemHandle", code, at(base));
      byte[] bytes = new byte[1 + (int) HipIpc.HANDLE_BYTES];
      bytes[0] = LEGACY;
      MemorySegment.copy(handle, JAVA_BYTE, 0, bytes, 1, (int) HipIpc.HANDLE_BYTES);
      return new Exported(base, out.get(JAVA_LONG, Long.BYTES), bytes);
    }
  }

  private static String at(long address) {
    return "0x" + Long.toHexString(address);
  }

  private static MemorySegment segment(byte[] handle, Arena arena) {
    if (handle.length != 1 + HipIpc.HANDLE_BYTES || handle[0] != LEGACY) {
      String form = handle.length == 0 ? "" : " of form " + handle[0];
      throw DeviceException.invalid("a handle" + form + " with " + handle.length + " bytes is none of HIP's that this release knows");
    }
    MemorySegment segment = arena.allocate(HipIpc.HANDLE_BYTES, 8);
    MemorySegment.copy(handle, 1, segment, JAVA_BYTE, 0, (int) HipIpc.HANDLE_BYTES);
    return segment;
  }

  @Override
  public long open(byte[] handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = segment(handle, arena);
      MemorySegment out = arena.allocate(JAVA_LONG);
      int before = gpu.enter();
      int code = HipIpc.openMemHandle(out.address(), value, HipIpc.MEM_LAZY_ENABLE_PEER_ACCESS);
      boolean isOld = code == Hip.INVALID_VALUE;
      if (isOld) code = HipIpc.openMemHandle(out.address(), value, HipIpc.OLD_MEM_LAZY_ENABLE_PEER_ACCESS);
      gpu.leave(before);
      if (isOld) HipErrors.forget();
      if (code == HipIpc.INVALID_DEVICE_POINTER) {
        HipErrors.forget();
        String why = "; what was shared is freed, or the process that shared it is gone";
        throw new DeviceException(Errno.EINVAL, "hipIpcOpenMemHandle on " + gpu.name + " failed: " + HipErrors.describe(code) + why);
      }
      gpu.check(code, "hipIpcOpenMemHandle");
      return out.get(JAVA_LONG, 0);
    }
  }

  @Override
  public void close(long base, Consumer<@Nullable DeviceException> closed) {
    Frees.submit(() -> closed.accept(tryClose(base)));
  }

  private @Nullable DeviceException tryClose(long base) {
    try {
      int before = gpu.enter();
      int code = HipIpc.closeMemHandle(base);
      gpu.leave(before);
      return code == Hip.SUCCESS || code == Hip.DEINITIALIZED ? null : gpu.error("hipIpcCloseMemHandle", code, at(base));
    } catch (DeviceException e) {
      return e;
    }
  }

  @Override
  public long record(long queue) {
    return 0;
  }

  @Override
  public byte[] exportEvent(long event) {
    throw noEvents();
  }

  @Override
  public long openEvent(byte[] handle) {
    throw noEvents();
  }

  private DeviceException noEvents() {
    return new DeviceException(Errno.ENOSYS, gpu.name + " shares no events with other processes");
  }
}
