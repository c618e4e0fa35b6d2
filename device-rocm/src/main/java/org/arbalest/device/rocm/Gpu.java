// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.spi.Answer;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/** One GPU. {@code ROCM} and {@code ROCM_HOST} of an ordinal are two kinds of memory with one object of this class. */
final class Gpu {
  private static final AtomicReferenceArray<@Nullable Gpu> OPEN = new AtomicReferenceArray<>(64);

  final int ordinal;
  final String name;

  final Pool pool;
  final Waits waits;
  final Copies copies;
  final MemoryAllocator deviceMemory;
  final MemoryAllocator pinnedMemory;
  final ProcessSharing sharing;

  /** The peers that are connected already. The GPU's queues reach them directly if the hardware can. */
  private final Set<Integer> peers = new HashSet<>();

  private Gpu(int ordinal) {
    this.ordinal = ordinal;
    this.name = "ROCM:" + ordinal;
    this.pool = Pool.create(this);
    this.waits = new Waits(this);
    this.deviceMemory = new DeviceMemory(this);
    this.pinnedMemory = new PinnedMemory(this);
    this.copies = new Copies(this);
    this.sharing = new RocmSharing(this);
  }

  /** Opens a GPU, or returns the open one. */
  static Gpu open(int ordinal) {
    synchronized (OPEN) {
      Gpu open = OPEN.get(ordinal);
      if (open != null) return open;
      HipMemory.load();
      HipCapture.load();
      Frees.CALLS.start();
      open = new Gpu(ordinal);
      OPEN.set(ordinal, open);
      return open;
    }
  }

  /** Returns an open GPU; null if no GPU with that ordinal is open. */
  static @Nullable Gpu ifOpen(long ordinal) {
    return ordinal >= 0 && ordinal < OPEN.length() ? OPEN.get((int) ordinal) : null;
  }

  /**
   * Makes the GPU this thread's current device until {@link #leave}, which restores the previous one (DEV-10). Also
   * relaxes the thread, for graphs that other threads capture (DEV-23).
   *
   * <p>Only calls of HIP may be made between the two. A device is current for an OS thread. A virtual thread that
   * waits, even for a lock, may continue on another OS thread.
   *
   * <p>A current device is necessary where an object is created, and where a queue may be the default one. The
   * library's handles identify their device, and memory does, too. Calls with those, including all releases, only relax
   * the thread: they need no preceding call that can fail.
   *
   * @return the value that {@link #leave} needs
   */
  int enter() {
    int before = enterOrdered();
    HipCapture.relax();
    return before;
  }

  /**
   * Does the same as {@link #enter}, but does not relax the thread. This saves two calls of HIP.
   *
   * <p>It is for calls that only have a place in a stream, and that no capture forbids: copies, events that are
   * recorded or that a stream waits for, host functions, allocations and frees in stream order.
   */
  int enterOrdered() {
    HipCapture.prepare();
    int before = HipThread.current().device();
    if (before < 0) throw error(Hip.GET_DEVICE, -before, "");
    if (before != ordinal) check(Hip.SET_DEVICE.call(ordinal), Hip.SET_DEVICE);
    return before;
  }

  /**
   * Does the same as {@link #enterOrdered}, but does not throw. After a failure it returns HIP's code, negated, and the
   * code is cleared for {@code hipGetLastError}.
   */
  int pushOrdered() {
    HipCapture.prepare();
    int before = HipThread.current().device();
    if (before == ordinal) return before;
    int code = before < 0 ? -before : Hip.SET_DEVICE.call(ordinal);
    if (code == Hip.SUCCESS) return before;
    HipErrors.forget();
    return -code;
  }

  /** Restores the previous device, and the thread's capture mode. Logs a failure. */
  void leave(int before) {
    HipCapture.restore();
    if (before == ordinal) return;
    int code = Hip.SET_DEVICE.call(before);
    if (code == Hip.SUCCESS || HipAnswers.of(code) == Answer.GONE) return;
    // logged only: the requested work is done
    HipErrors.report("restoring the thread's device", error(Hip.SET_DEVICE, code, ""));
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

  private void connect(Gpu peer) {
    MemorySegment scratch = Hip.scratch();
    check(Hip.DEVICE_CAN_ACCESS_PEER.call(scratch.address(), ordinal, peer.ordinal), Hip.DEVICE_CAN_ACCESS_PEER);
    if (scratch.get(JAVA_INT, 0) == 0) return; // HIP copies through main memory
    int before = enter();
    int code = Hip.DEVICE_ENABLE_PEER_ACCESS.call(peer.ordinal, 0);
    leave(before);
    if (code == Hip.PEER_ACCESS_ALREADY_ENABLED) {
      HipErrors.forget();
    } else {
      check(code, Hip.DEVICE_ENABLE_PEER_ACCESS);
    }
    peer.pool.letReach(this);
  }

  void check(int code, HipFunction function) {
    check(code, function, name);
  }

  static void check(int code, HipFunction function, String name) {
    if (code != Hip.SUCCESS) throw HipErrors.exception(function.name() + " on " + name, code, "");
  }

  DeviceException error(HipFunction function, int code, String asked) {
    return HipErrors.exception(function.name() + " on " + name, code, asked);
  }

  /** Returns the size of a GPU's memory, in bytes. */
  static long totalMemory(int ordinal) {
    MemorySegment scratch = Hip.scratch();
    check(Hip.DEVICE_TOTAL_MEM.call(scratch.address(), ordinal), Hip.DEVICE_TOTAL_MEM, "ROCM:" + ordinal);
    return scratch.get(JAVA_LONG, 0);
  }

  /** Returns a description, such as {@code AMD Instinct MI300X, 192.0 GiB}. */
  static String describe(int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(256);
      check(Hip.DEVICE_GET_NAME.call(text.address(), 256, ordinal), Hip.DEVICE_GET_NAME, "ROCM:" + ordinal);
      return String.format(Locale.ROOT, "%s, %.1f GiB", text.getString(0), totalMemory(ordinal) / (double) (1 << 30));
    }
  }
}
