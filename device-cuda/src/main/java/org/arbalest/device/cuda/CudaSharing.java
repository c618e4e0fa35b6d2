// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.spi.ProcessSharing;
import org.arbalest.device.spi.SharedHandle;

/**
 * The sharing of a GPU's memory and events with other processes, by handles in three forms.
 *
 * <p>A plain handle, from {@code cuIpcGetMemHandle}, is for memory from {@code cuMemAlloc}. A fabric handle is for
 * memory that {@code cuMemCreate} created for such a handle, and that was mapped. This library creates such memory only
 * with {@code -Darbalest.cuda.fabric=true}, and only if the device has fabric handles. Another library may have created
 * a pool with such handles: see {@link PoolSharing}. All other memory of pools, also the library's own, has no handle.
 */
final class CudaSharing implements ProcessSharing {
  /** The system property that requests memory with fabric handles, if the device has them. */
  static final String FABRIC_REQUESTED = "arbalest.cuda.fabric";

  private static final int PLAIN = 1;
  private static final int FABRIC = 2;

  private final Gpu gpu;
  private final Mappings mappings;
  private final PoolSharing pools;
  private final MemoryAllocator plainMemory;
  private final MemoryAllocator fabricMemory;

  CudaSharing(Gpu gpu) {
    this.gpu = gpu;
    this.mappings = new Mappings(gpu);
    this.pools = new PoolSharing(gpu, mappings);
    this.plainMemory = new ShareableMemory(gpu);
    this.fabricMemory = new FabricMemory(gpu, mappings);
  }

  @Override
  public MemoryAllocator memory() {
    return Boolean.getBoolean(FABRIC_REQUESTED) && mappings.hasFabric() ? fabricMemory : plainMemory;
  }

  @Override
  public Shareable prepare(long address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(2 * Long.BYTES, 8);
      gpu.enter();
      int asked = Cu.POINTER_GET_ATTRIBUTE.call(out.address(), CuIpc.IS_LEGACY_IPC_CAPABLE, address);
      boolean isPlain = asked != Cu.SUCCESS || out.get(JAVA_INT, 0) != 0;
      long pool = isPlain ? 0 : attribute(out, CuMap.POOL_HANDLE, address);
      boolean hasFabric = !isPlain
          && (attribute(out, CuMap.ALLOWED_HANDLE_TYPES, address) & CuMap.HANDLE_TYPE_FABRIC) != 0;
      int ranged = Cu.MEM_GET_ADDRESS_RANGE.call(out.address(), out.address() + Long.BYTES, address);
      long base = out.get(JAVA_LONG, 0);
      long bytes = out.get(JAVA_LONG, Long.BYTES);
      long pooled = pool != 0 && ranged == Cu.SUCCESS ? PoolSharing.sizeOf(out, base) : bytes;
      gpu.leave();
      if (!isPlain && !hasFabric) throw refusal(address, pool != 0 ? "is in a pool" : "is mapped");
      if (ranged != Cu.SUCCESS) throw gpu.error(Cu.MEM_GET_ADDRESS_RANGE, ranged, at(address));
      if (pool == 0) return new Shareable(base, bytes, isPlain ? PLAIN : FABRIC, 0);
      String why = PoolSharing.refusal(base);
      if (why != null) throw DeviceException.invalid(at(address) + " " + why);
      if (pooled < 0) throw DeviceException.invalid(at(address) + " is in a pool, in an allocation of " + bytes
          + " bytes at " + at(base) + ", but the driver reports another start for its range");
      return new Shareable(base, Math.min(bytes, pooled), PoolSharing.FORM, pool);
    }
  }

  /** Returns an attribute of 8 bytes; 0 if the driver does not know it. The context must be current. */
  private static long attribute(MemorySegment scratch, int attribute, long address) {
    scratch.set(JAVA_LONG, 0, 0);
    int code = Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), attribute, address);
    return code == Cu.SUCCESS ? scratch.get(JAVA_LONG, 0) : 0;
  }

  @Override
  public byte[] export(Shareable memory) {
    long base = memory.base();
    if (memory.form() == PoolSharing.FORM) return pools.export(memory.source(), base);
    boolean isPlain = memory.form() == PLAIN;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      MemorySegment handle = arena.allocate(SharedHandle.BYTES, 8);
      gpu.enter();
      int retained = isPlain ? Cu.SUCCESS : Cu.MEM_RETAIN_ALLOCATION_HANDLE.call(out.address(), base);
      int code = retained != Cu.SUCCESS
          ? retained
          : isPlain ? Cu.IPC_GET_MEM_HANDLE.call(handle.address(), base) : exportFabric(out, handle);
      gpu.leave();
      if (retained != Cu.SUCCESS) throw refusal(base, "is mapped");
      gpu.check(code, isPlain ? Cu.IPC_GET_MEM_HANDLE : Cu.MEM_EXPORT_TO_SHAREABLE_HANDLE);
      return SharedHandle.of(isPlain ? PLAIN : FABRIC, handle);
    }
  }

  /** Exports retained memory, and releases it. The context must be current. */
  private int exportFabric(MemorySegment retained, MemorySegment handle) {
    long memory = retained.get(JAVA_LONG, 0);
    int code = Cu.MEM_EXPORT_TO_SHAREABLE_HANDLE.call(handle.address(), memory, CuMap.HANDLE_TYPE_FABRIC, 0);
    mappings.release(memory);
    return code;
  }

  /** Returns the error for memory without a handle. An integrated GPU, such as a Jetson's, may have no handles. */
  private DeviceException refusal(long address, String place) {
    if (Gpu.attribute(gpu.ordinal, Cu.INTEGRATED) != 0) {
      return new DeviceException(Errno.ENOSYS, at(address) + " of " + gpu.name
          + " cannot be shared with other processes: CUDA has no handle for memory of this integrated GPU");
    }
    return DeviceException.invalid(at(address) + " " + place
        + " without a fabric handle: share memory of cuMemAlloc, or memory with such a handle");
  }

  private static String at(long address) {
    return "0x" + Long.toHexString(address);
  }

  @Override
  public long open(byte[] handle, long bytes) {
    if (PoolSharing.isOfPool(handle)) return pools.open(handle, bytes);
    boolean isPlain = SharedHandle.form(handle, FABRIC) == PLAIN;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = SharedHandle.segment(handle, arena);
      if (!isPlain) return mappings.open(value, bytes);
      MemorySegment out = arena.allocate(2 * Long.BYTES, 8);
      gpu.enter();
      int code = openPlain(out, value);
      long base = out.get(JAVA_LONG, 0);
      boolean isKnown = code == Cu.SUCCESS
          && Cu.MEM_GET_ADDRESS_RANGE.call(0, out.address() + Long.BYTES, base) == Cu.SUCCESS;
      boolean isShort = isKnown && out.get(JAVA_LONG, Long.BYTES) < bytes;
      int closed = isShort ? Cu.IPC_CLOSE_MEM_HANDLE.call(base) : Cu.SUCCESS;
      gpu.leave();
      if (code == CuIpc.MAP_FAILED) throw gone(Cu.IPC_OPEN_MEM_HANDLE, code);
      gpu.check(code, Cu.IPC_OPEN_MEM_HANDLE);
      if (!isShort) return base;
      var failure = DeviceException
          .invalid("an allocation is declared with " + bytes + " bytes, but has " + out.get(JAVA_LONG, Long.BYTES));
      if (closed != Cu.SUCCESS) failure.addSuppressed(gpu.error(Cu.IPC_CLOSE_MEM_HANDLE, closed, at(base)));
      throw failure;
    }
  }

  /**
   * Opens a plain handle, and returns the driver's code. The method uses the older function if the driver lacks the
   * newer one.
   */
  private static int openPlain(MemorySegment out, MemorySegment handle) {
    int code = Cu.IPC_OPEN_MEM_HANDLE_V2.call(out.address(), handle, CuIpc.MEM_LAZY_ENABLE_PEER_ACCESS);
    if (code != Cu.NOT_SUPPORTED) return code;
    return Cu.IPC_OPEN_MEM_HANDLE.call(out.address(), handle, CuIpc.MEM_LAZY_ENABLE_PEER_ACCESS);
  }

  private DeviceException gone(CuFunction function, int code) {
    String why = "; the shared memory was freed, or the process that shared it has ended";
    return new DeviceException(Errno.EINVAL, function.label() + " on " + gpu.name + " failed: "
        + CuErrors.describe(code) + why);
  }

  @Override
  public void close(byte[] handle, long base, long bytes) {
    if (PoolSharing.isOfPool(handle)) {
      pools.close(base);
      return;
    }
    boolean isPlain = SharedHandle.form(handle, FABRIC) == PLAIN;
    gpu.enter();
    int code = isPlain ? Cu.IPC_CLOSE_MEM_HANDLE.call(base) : mappings.unmap(base, bytes);
    gpu.leave();
    if (code != Cu.SUCCESS && code != Cu.DEINITIALIZED) {
      throw gpu.error(isPlain ? Cu.IPC_CLOSE_MEM_HANDLE : Cu.MEM_UNMAP, code, at(base));
    }
  }

  @Override
  public long record(long queue) {
    MemorySegment scratch = Cu.scratch();
    int code = Cu.DEVICE_GET_ATTRIBUTE.call(scratch.address(), CuIpc.IPC_EVENT_SUPPORTED, gpu.device());
    boolean isKnown = code == Cu.SUCCESS;
    if (isKnown && scratch.get(JAVA_INT, 0) == 0) return 0;
    gpu.enter();
    int created = Cu.EVENT_CREATE.call(scratch.address(),
        Cu.EVENT_DISABLE_TIMING | Cu.EVENT_BLOCKING_SYNC | CuIpc.EVENT_INTERPROCESS);
    long event = scratch.get(JAVA_LONG, 0);
    int recorded = created == Cu.SUCCESS ? Cu.EVENT_RECORD.call(event, queue) : created;
    int destroyed = created == Cu.SUCCESS && recorded != Cu.SUCCESS ? Cu.EVENT_DESTROY.call(event) : Cu.SUCCESS;
    gpu.leave();
    gpu.check(created, Cu.EVENT_CREATE);
    if (recorded == Cu.SUCCESS) return event;
    var failure = gpu.error(Cu.EVENT_RECORD, recorded, "");
    if (destroyed != Cu.SUCCESS) failure.addSuppressed(gpu.error(Cu.EVENT_DESTROY, destroyed, ""));
    throw failure;
  }

  @Override
  public byte[] exportEvent(long event) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handle = arena.allocate(SharedHandle.BYTES, 8);
      gpu.enter();
      int code = Cu.IPC_GET_EVENT_HANDLE.call(handle.address(), event);
      gpu.leave();
      gpu.check(code, Cu.IPC_GET_EVENT_HANDLE);
      return SharedHandle.of(PLAIN, handle);
    }
  }

  @Override
  public long openEvent(byte[] handle) {
    SharedHandle.form(handle, PLAIN);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = SharedHandle.segment(handle, arena);
      MemorySegment out = arena.allocate(JAVA_LONG);
      gpu.enter();
      int code = Cu.IPC_OPEN_EVENT_HANDLE.call(out.address(), value);
      gpu.leave();
      if (code == CuIpc.MAP_FAILED) throw gone(Cu.IPC_OPEN_EVENT_HANDLE, code);
      gpu.check(code, Cu.IPC_OPEN_EVENT_HANDLE);
      return out.get(JAVA_LONG, 0);
    }
  }
}
