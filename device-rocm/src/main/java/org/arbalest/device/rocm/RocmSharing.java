// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.spi.ProcessSharing;
import org.arbalest.device.spi.SharedHandle;

/**
 * The sharing of a GPU's memory with other processes, by {@code hipIpcGetMemHandle}, for memory from {@code hipMalloc}.
 * Up to 7.2, HIP has no fabric handles, as CUDA has them. HIP shares created and mapped memory only by file
 * descriptors.
 *
 * <p>Events are not shared. HIP waits for events of other processes in host functions, and blocks a thread that queues
 * such a wait (see decision 31). The library waits for memory before it shares it.
 */
final class RocmSharing implements ProcessSharing {
  private static final int PLAIN = 1;

  private final Gpu gpu;
  private final MemoryAllocator memory;

  RocmSharing(Gpu gpu) {
    this.gpu = gpu;
    this.memory = new ShareableMemory(gpu);
  }

  @Override
  public MemoryAllocator memory() {
    return memory;
  }

  @Override
  public Shareable prepare(long address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(2 * Long.BYTES, 8);
      int before = gpu.enter();
      int ranged = Hip.MEM_GET_ADDRESS_RANGE.call(out.address(), out.address() + Long.BYTES, address);
      gpu.leave(before);
      if (ranged != Hip.SUCCESS) throw gpu.error(Hip.MEM_GET_ADDRESS_RANGE, ranged, at(address));
      return new Shareable(out.get(JAVA_LONG, 0), out.get(JAVA_LONG, Long.BYTES), PLAIN, 0);
    }
  }

  /** Exports an allocation. Only the call itself shows whether HIP has a handle for this memory. */
  @Override
  public byte[] export(Shareable memory) {
    long base = memory.base();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handle = arena.allocate(SharedHandle.BYTES, 8);
      int before = gpu.enter();
      int code = Hip.IPC_GET_MEM_HANDLE.call(handle.address(), base);
      gpu.leave(before);
      if (code == HipIpc.INVALID_DEVICE_POINTER) {
        HipErrors.forget();
        String why = " is not memory of hipMalloc, which alone can be shared; it may be in a pool";
        throw DeviceException.invalid(at(base) + why + " (" + Hip.IPC_GET_MEM_HANDLE.name() + ": "
            + HipErrors.describe(code) + ")");
      }
      if (code != Hip.SUCCESS) throw gpu.error(Hip.IPC_GET_MEM_HANDLE, code, at(base));
      return SharedHandle.of(PLAIN, handle);
    }
  }

  private static String at(long address) {
    return "0x" + Long.toHexString(address);
  }

  @Override
  public long open(byte[] handle, long bytes) {
    SharedHandle.form(handle, PLAIN);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = SharedHandle.segment(handle, arena);
      MemorySegment out = arena.allocate(2 * Long.BYTES, 8);
      int before = gpu.enter();
      int code = Hip.IPC_OPEN_MEM_HANDLE.call(out.address(), value, HipIpc.MEM_LAZY_ENABLE_PEER_ACCESS);
      boolean isOld = code == Hip.INVALID_VALUE;
      if (isOld) code = Hip.IPC_OPEN_MEM_HANDLE.call(out.address(), value, HipIpc.OLD_MEM_LAZY_ENABLE_PEER_ACCESS);
      long opened = out.get(JAVA_LONG, 0);
      int ranged = code == Hip.SUCCESS
          ? Hip.MEM_GET_ADDRESS_RANGE.call(out.address(), out.address() + Long.BYTES, opened)
          : Hip.SUCCESS;
      boolean isShort = code == Hip.SUCCESS && ranged == Hip.SUCCESS && out.get(JAVA_LONG, Long.BYTES) < bytes;
      int closed = isShort ? Hip.IPC_CLOSE_MEM_HANDLE.call(opened) : Hip.SUCCESS;
      gpu.leave(before);
      if (isOld || ranged != Hip.SUCCESS) HipErrors.forget();
      if (code == HipIpc.INVALID_DEVICE_POINTER) {
        HipErrors.forget();
        String why = "; the shared memory was freed, or the process that shared it has ended";
        throw new DeviceException(Errno.EINVAL, Hip.IPC_OPEN_MEM_HANDLE.name() + " on " + gpu.name + " failed: "
            + HipErrors.describe(code) + why);
      }
      gpu.check(code, Hip.IPC_OPEN_MEM_HANDLE);
      if (!isShort) return opened;
      var failure = DeviceException
          .invalid("an allocation is declared with " + bytes + " bytes, but has " + out.get(JAVA_LONG, Long.BYTES));
      if (closed != Hip.SUCCESS) failure.addSuppressed(gpu.error(Hip.IPC_CLOSE_MEM_HANDLE, closed, at(opened)));
      throw failure;
    }
  }

  @Override
  public void close(byte[] handle, long base, long bytes) {
    int before = gpu.enter();
    int code = Hip.IPC_CLOSE_MEM_HANDLE.call(base);
    gpu.leave(before);
    if (code != Hip.SUCCESS && code != Hip.DEINITIALIZED) throw gpu.error(Hip.IPC_CLOSE_MEM_HANDLE, code, at(base));
  }
}
