// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.spi.Answer;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/**
 * One GPU, with its primary context, which the CUDA runtime and other libraries of the process share. The context is
 * retained until the process ends.
 *
 * <p>{@code CUDA}, {@code CUDA_HOST} and {@code CUDA_MANAGED} of an ordinal are three kinds of memory with one object
 * of this class.
 */
final class Gpu {
  private static final AtomicReferenceArray<@Nullable Gpu> OPEN = new AtomicReferenceArray<>(64);

  final int ordinal;
  final String name;
  private final int device;
  private final long context;
  final Pool pool;
  final Waits waits;
  final Copies copies;
  final MemoryAllocator deviceMemory;
  final MemoryAllocator pinnedMemory;
  final MemoryAllocator managedMemory;
  final ProcessSharing sharing;
  final KernelModule kernels;

  /** The peers that are connected already. The GPU's queues reach them directly if the hardware can. */
  private final Set<Integer> peers = new HashSet<>();

  /** The connected peers that the GPU does not reach directly. */
  private final Set<Integer> farPeers = ConcurrentHashMap.newKeySet();

  /** Whether the GPU reads and writes all of main memory by the CPU's page tables, as a GH200 does. */
  final boolean reachesPageable;

  private Gpu(int ordinal, int device, long context) {
    this.ordinal = ordinal;
    this.name = "CUDA:" + ordinal;
    this.device = device;
    this.context = context;
    this.reachesPageable =
        attribute(ordinal, Cu.PAGEABLE_MEMORY_ACCESS) != 0 && attribute(ordinal, Cu.PAGEABLE_BY_HOST_PAGE_TABLES) != 0;
    this.pool = Pool.create(this);
    this.waits = new Waits(this);
    this.deviceMemory = new DeviceMemory(this);
    this.pinnedMemory = new PinnedMemory(this);
    this.managedMemory = new ManagedMemory(this);
    this.copies = new Copies(this);
    this.sharing = new CudaSharing(this);
    this.kernels = new KernelModule(this);
  }

  /** Opens a GPU, or returns the open one. */
  static Gpu open(int ordinal) {
    synchronized (OPEN) {
      Gpu open = OPEN.get(ordinal);
      if (open != null) return open;
      CuMemory.load();
      CuCapture.load();
      CuManaged.load();
      Frees.CALLS.start();
      String name = "CUDA:" + ordinal;
      MemorySegment scratch = Cu.scratch();
      check(Cu.DEVICE_GET.call(scratch.address(), ordinal), Cu.DEVICE_GET, name);
      int device = scratch.get(JAVA_INT, 0);
      check(Cu.PRIMARY_CTX_RETAIN.call(scratch.address(), device), Cu.PRIMARY_CTX_RETAIN, name);
      try {
        open = new Gpu(ordinal, device, scratch.get(JAVA_LONG, 0));
      } catch (Throwable t) {
        int code = release(device);
        if (code != Cu.SUCCESS) {
          t.addSuppressed(CuErrors.exception(Cu.PRIMARY_CTX_RELEASE.label() + " on " + name, code, ""));
        }
        throw t;
      }
      OPEN.set(ordinal, open);
      return open;
    }
  }

  /**
   * Releases a primary context, and returns the driver's code. The method uses the older function if the driver lacks
   * the newer one.
   */
  private static int release(int device) {
    int code = Cu.PRIMARY_CTX_RELEASE_V2.call(device);
    return code == Cu.NOT_SUPPORTED ? Cu.PRIMARY_CTX_RELEASE.call(device) : code;
  }

  /** Returns an open GPU; null if no GPU with that ordinal is open. */
  static @Nullable Gpu ifOpen(long ordinal) {
    return ordinal >= 0 && ordinal < OPEN.length() ? OPEN.get((int) ordinal) : null;
  }

  /** Returns the {@code CUdevice}. */
  int device() {
    return device;
  }

  /** Returns the {@code CUcontext}. */
  long context() {
    return context;
  }

  /**
   * Makes the context current until {@link #leave}, which restores the previous one (DEV-10). Also relaxes the thread,
   * for graphs that other threads capture (DEV-23).
   *
   * <p>Only calls of the driver may be made between the two. A context is current for an OS thread. A virtual thread
   * that waits, even for a lock, may continue on another OS thread.
   *
   * @return the driver's code: {@link Cu#NOT_PERMITTED} if this thread must not call CUDA now, since it is in a host
   *     function
   */
  int push() {
    int code = pushOrdered();
    if (code == Cu.SUCCESS) CuCapture.relax();
    return code;
  }

  /** Does the same as {@link #push}; throws if that fails. */
  void enter() {
    check(push(), Cu.CTX_PUSH_CURRENT);
  }

  /**
   * Does the same as {@link #push}, but does not relax the thread. This saves two calls of the driver.
   *
   * <p>It is for calls that only have a place in a stream, and that no capture forbids: copies, events that are
   * recorded or that a stream waits for, host functions, allocations and frees in stream order.
   */
  int pushOrdered() {
    CuCapture.prepare();
    return Cu.CTX_PUSH_CURRENT.call(context);
  }

  /** Does the same as {@link #pushOrdered}; throws if that fails. */
  void enterOrdered() {
    check(pushOrdered(), Cu.CTX_PUSH_CURRENT);
  }

  /** Restores the previous context, and the thread's capture mode. Logs a failure. */
  void leave() {
    CuCapture.restore();
    int code = Cu.CTX_POP_CURRENT.call(0);
    if (code == Cu.SUCCESS || CuAnswers.of(code) == Answer.GONE) return;
    // logged only: the requested work is done
    CuErrors.report("restoring the thread's context", error(Cu.CTX_POP_CURRENT, code, ""));
  }

  /**
   * Returns whether the two GPUs' queues and memory work together. They always do. If the hardware can, copies between
   * them are direct from now on.
   */
  boolean reaches(Gpu peer) {
    if (peer == this) return true;
    synchronized (peers) {
      if (!peers.contains(peer.ordinal)) connect(peer);
      peers.add(peer.ordinal);
    }
    return true;
  }

  /** Returns whether the GPU does not reach a connected peer directly. */
  boolean isFar(Gpu peer) {
    return farPeers.contains(peer.ordinal);
  }

  private void connect(Gpu peer) {
    MemorySegment scratch = Cu.scratch();
    check(Cu.DEVICE_CAN_ACCESS_PEER.call(scratch.address(), device, peer.device), Cu.DEVICE_CAN_ACCESS_PEER);
    int code = scratch.get(JAVA_INT, 0) == 0 ? Cu.TOO_MANY_PEERS : enableAccess(peer);
    if (code == Cu.TOO_MANY_PEERS) {
      // the driver copies through main memory, if the call names the context of each address
      farPeers.add(peer.ordinal);
      return;
    }
    if (code != Cu.PEER_ACCESS_ALREADY_ENABLED) check(code, Cu.CTX_ENABLE_PEER_ACCESS);
    peer.pool.letReach(this);
  }

  private int enableAccess(Gpu peer) {
    enter();
    int code = Cu.CTX_ENABLE_PEER_ACCESS.call(peer.context, 0);
    leave();
    return code;
  }

  void check(int code, CuFunction function) {
    check(code, function, name);
  }

  static void check(int code, CuFunction function, String name) {
    if (code != Cu.SUCCESS) throw CuErrors.exception(function.label() + " on " + name, code, "");
  }

  DeviceException error(CuFunction function, int code, String asked) {
    return CuErrors.exception(function.label() + " on " + name, code, asked);
  }

  /** Returns the size of a GPU's memory, in bytes. */
  static long totalMemory(int ordinal) {
    MemorySegment scratch = Cu.scratch();
    String name = "CUDA:" + ordinal;
    check(Cu.DEVICE_GET.call(scratch.address(), ordinal), Cu.DEVICE_GET, name);
    check(Cu.DEVICE_TOTAL_MEM.call(scratch.address(), scratch.get(JAVA_INT, 0)), Cu.DEVICE_TOTAL_MEM, name);
    return scratch.get(JAVA_LONG, 0);
  }

  /** Returns a description, such as {@code NVIDIA H200, compute capability 9.0, 139.8 GiB}. */
  static String describe(int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_LONG);
      MemorySegment text = arena.allocate(256);
      String id = "CUDA:" + ordinal;
      check(Cu.DEVICE_GET.call(value.address(), ordinal), Cu.DEVICE_GET, id);
      int device = value.get(JAVA_INT, 0);
      check(Cu.DEVICE_GET_NAME.call(text.address(), 256, device), Cu.DEVICE_GET_NAME, id);
      double gibibytes = totalMemory(ordinal) / (double) (1 << 30);
      int major = attribute(ordinal, Cu.COMPUTE_CAPABILITY_MAJOR);
      int minor = attribute(ordinal, Cu.COMPUTE_CAPABILITY_MINOR);
      return String.format(Locale.ROOT, "%s, compute capability %d.%d, %.1f GiB", text.getString(0), major, minor,
          gibibytes);
    }
  }

  /** Returns an attribute of a device, which need not be open; 0 if the driver is older than the attribute. */
  static int attribute(int ordinal, int attribute) {
    MemorySegment scratch = Cu.scratch();
    check(Cu.DEVICE_GET.call(scratch.address(), ordinal), Cu.DEVICE_GET, "CUDA:" + ordinal);
    int code = Cu.DEVICE_GET_ATTRIBUTE.call(scratch.address(), attribute, scratch.get(JAVA_INT, 0));
    if (code == Cu.INVALID_VALUE) return 0;
    check(code, Cu.DEVICE_GET_ATTRIBUTE, "CUDA:" + ordinal);
    return scratch.get(JAVA_INT, 0);
  }
}
