// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import org.arbalest.device.DeviceType;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.HostMemory;
import org.arbalest.device.spi.HostStaging;
import org.jspecify.annotations.Nullable;

/**
 * The pinned memory and the queues of a device for copies from and to memory that the device does not reach.
 *
 * <p>Copies go through slots of pinned memory: small slots for a few bytes, and large slots. Lanes let a copy from the
 * device continue while the CPU empties the previous slot. Slots and lanes are kept until the process ends.
 */
public final class Staging {
  /** The size of a small slot in bytes. */
  public static final long SMALL = 64 << 10;

  /** The size of a large slot in bytes. */
  public static final long LARGE = 4 << 20;

  /** The maximum number of small slots. */
  public static final int MOST_SMALL = 64;

  /** The maximum number of large slots. */
  public static final int MOST_LARGE = 16;

  private static final int MOST_LANES = 4;

  private static final IdentityHashMap<HostStaging, Staging> ALL = new IdentityHashMap<>();

  final HostStaging host;
  final StagingSlots small;
  final StagingSlots large;
  private final DeviceDriver driver;
  private final ArrayDeque<Lanes> lanes = new ArrayDeque<>();
  private int lanesMade;

  /** Two queues: the first copies into slots, the second empties them. */
  record Lanes(long copies, long tasks) {}

  private Staging(DeviceDriver driver, HostStaging host) {
    this.driver = driver;
    this.host = host;
    HostMemory pinned = host.pinnedMemory();
    this.small = new StagingSlots(pinned.allocator(), SMALL, MOST_SMALL, MOST_SMALL);
    this.large = new StagingSlots(pinned.allocator(), LARGE, MOST_LARGE, MOST_LARGE / 4);
  }

  /**
   * Returns the staging of a driver's device, which all devices that share its memory use. Returns null if the driver
   * needs none. The caller calls this once.
   */
  public static @Nullable Staging of(DeviceDriver driver) {
    HostStaging host = driver.hostStaging();
    return host == null ? null : of(driver, host);
  }

  /** Returns the staging of a device whose driver has such memory. */
  public static Staging of(DeviceDriver driver, HostStaging host) {
    synchronized (ALL) {
      return ALL.computeIfAbsent(host, _ -> new Staging(driver, host));
    }
  }

  /** Returns whether a type is the main memory that the device reaches. */
  public boolean isPinned(DeviceType type) {
    return host.pinnedMemory().type().equals(type);
  }

  /** Returns the place of main memory that is not known to be reachable for the device. */
  public Place pageable() {
    return host.reachesPageable() ? Place.PINNED : Place.PAGEABLE;
  }

  /** Returns whether small copies should be gathered in a slot, even from memory that the device reaches. */
  public boolean gathers() {
    return !host.copiesBatches();
  }

  /** Takes lanes for one transfer. Returns null if other transfers use all of them. */
  @Nullable
  Lanes takeLanes() {
    synchronized (lanes) {
      Lanes idle = lanes.poll();
      if (idle != null) return idle;
      if (lanesMade == MOST_LANES) return null;
      lanesMade++;
    }
    try {
      return makeLanes();
    } catch (Throwable t) {
      synchronized (lanes) {
        lanesMade--;
      }
      throw t;
    }
  }

  private Lanes makeLanes() {
    long copies = driver.createQueue();
    try {
      return new Lanes(copies, driver.createQueue());
    } catch (Throwable t) {
      driver.destroyQueue(copies);
      throw t;
    }
  }

  /** Returns lanes to the free ones. They must have no work in progress. */
  void giveLanes(Lanes idle) {
    synchronized (lanes) {
      lanes.push(idle);
    }
  }

  /** Returns the number of slots; for tests. */
  public int slots() {
    return small.count() + large.count();
  }

  /** Returns the number of allocations that contain the slots; for tests. */
  public int blocks() {
    return small.blocks() + large.blocks();
  }

  /** Returns the number of slots and lanes in use; for tests. */
  public int inUse() {
    synchronized (lanes) {
      return small.inUse() + large.inUse() + lanesMade - lanes.size();
    }
  }

  /** Returns the number of queues for lanes; for tests. */
  public int queues() {
    synchronized (lanes) {
      return 2 * lanesMade;
    }
  }
}
