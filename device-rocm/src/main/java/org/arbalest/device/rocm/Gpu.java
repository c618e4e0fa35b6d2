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

/** One GPU. {@code ROCM} and {@code ROCM_HOST} of an ordinal are two kinds of memory, and one of these. */
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

  /** The peers that this one's queues were made to reach directly. */
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

  /** Opens it, or returns what is open. */
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

  /** One that was opened; null if there is none of that ordinal. */
  static @Nullable Gpu ifOpen(long ordinal) {
    return ordinal >= 0 && ordinal < OPEN.length() ? OPEN.get((int) ordinal) : null;
  }

  /**
   * Makes it this thread's current device, until {@link #leave}, which restores the one before (DEV-10), and relaxes
   * the thread for graphs that others capture (DEV-23). Between the two there are only calls of HIP: a device is
   * current for an OS thread, and a virtual thread that waits, for a lock even, may go on on another.
   *
   * <p>Needed where something is created, and where a queue may be the default one. Handles of ours know their device,
   * memory too: such calls, all that give something back among them, need nothing that could fail before them, and are
   * only relaxed.
   *
   * @return what {@code leave} wants
   */
  int enter() {
    int before = enterOrdered();
    HipCapture.relax();
    return before;
  }

  /**
   * Like {@link #enter}, for calls that have their place in a stream only, and that no capture forbids: copies, events
   * recorded and waited for by a stream, host functions, allocations and frees in stream order. It is two calls of
   * HIP's less.
   */
  int enterOrdered() {
    HipCapture.prepare();
    int before = HipThread.current().device();
    if (before < 0) throw error(Hip.GET_DEVICE, -before, "");
    if (before != ordinal) check(Hip.SET_DEVICE.call(ordinal), Hip.SET_DEVICE);
    return before;
  }

  /**
   * Like {@link #enterOrdered}, where that may fail: HIP's code then, negated, which {@code hipGetLastError} has
   * forgotten.
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

  void leave(int before) {
    HipCapture.restore();
    if (before == ordinal) return;
    int code = Hip.SET_DEVICE.call(before);
    if (code == Hip.SUCCESS || HipAnswers.of(code) == Answer.GONE) return;
    HipErrors.report("restoring the thread's device", error(Hip.SET_DEVICE, code, "")); // what was asked for is done
  }

  /**
   * Whether the two GPUs' queues and memory go together. They always do; if the hardware can, copies go directly from
   * now on.
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
    if (scratch.get(JAVA_INT, 0) == 0) return; // HIP goes through main memory
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

  /** All of its memory, in bytes. */
  static long totalMemory(int ordinal) {
    MemorySegment scratch = Hip.scratch();
    check(Hip.DEVICE_TOTAL_MEM.call(scratch.address(), ordinal), Hip.DEVICE_TOTAL_MEM, "ROCM:" + ordinal);
    return scratch.get(JAVA_LONG, 0);
  }

  /** Such as {@code AMD Instinct MI300X, 192.0 GiB}. */
  static String describe(int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(256);
      check(Hip.DEVICE_GET_NAME.call(text.address(), 256, ordinal), Hip.DEVICE_GET_NAME, "ROCM:" + ordinal);
      return String.format(Locale.ROOT, "%s, %.1f GiB", text.getString(0), totalMemory(ordinal) / (double) (1 << 30));
    }
  }
}
