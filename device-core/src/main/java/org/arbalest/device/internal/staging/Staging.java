// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import org.arbalest.device.DeviceType;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.HostMemory;
import org.arbalest.device.spi.HostStaging;
import org.jspecify.annotations.Nullable;

/**
 * Slots of pinned memory, by way of which a device copies from and to memory that it does not reach; small ones for a
 * few bytes, and large ones. And lanes, which let a copy on the way out go on while the CPU empties the slot before.
 * What there is of either is kept for the process.
 */
public final class Staging {
  /** The bytes of a small slot. */
  public static final long SMALL = 64 << 10;

  /** The bytes of a large one. */
  public static final long LARGE = 4 << 20;

  /** How many small ones there are at the most. */
  public static final int MOST_SMALL = 64;

  /** How many large ones. */
  public static final int MOST_LARGE = 16;

  private static final int MOST_LANES = 4;

  private static final IdentityHashMap<HostStaging, Staging> ALL = new IdentityHashMap<>();

  final HostStaging host;
  final StagingSlots small;
  final StagingSlots large;
  private final DeviceDriver driver;
  private final ArrayDeque<Lanes> lanes = new ArrayDeque<>();
  private int lanesMade;

  /** Two queues: one copies into slots, the other empties them. */
  record Lanes(long copies, long tasks) {}

  private Staging(DeviceDriver driver, HostStaging host) {
    this.driver = driver;
    this.host = host;
    HostMemory pinned = host.pinnedMemory();
    this.small = new StagingSlots(pinned.allocator(), SMALL, MOST_SMALL, MOST_SMALL);
    this.large = new StagingSlots(pinned.allocator(), LARGE, MOST_LARGE, MOST_LARGE / 4);
  }

  /**
   * What a driver's device and those that share its memory have; null if the driver wants none. To be asked for once.
   */
  public static @Nullable Staging of(DeviceDriver driver) {
    HostStaging host = driver.hostStaging();
    if (host == null) return null;
    synchronized (ALL) {
      return ALL.computeIfAbsent(host, _ -> new Staging(driver, host));
    }
  }

  /** Whether memory of a type is the main memory that the device reaches. */
  public boolean isPinned(DeviceType type) {
    return host.pinnedMemory().type().equals(type);
  }

  /** What main memory is that the device is not said to reach. */
  public Place pageable() {
    return host.reachesPageable() ? Place.PINNED : Place.PAGEABLE;
  }

  /** Whether small copies are better gathered, also from memory that the device reaches. */
  public boolean gathers() {
    return !host.copiesBatches();
  }

  /** Lanes for one transfer; null if others have all. */
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

  /** Gives lanes back in which nothing is under way. */
  void giveLanes(Lanes idle) {
    synchronized (lanes) {
      lanes.push(idle);
    }
  }

  /** How many slots there are; for tests. */
  public int slots() {
    return small.count() + large.count();
  }

  /** How many allocations they lie in; for tests. */
  public int blocks() {
    return small.blocks() + large.blocks();
  }

  /** How many slots and lanes are in use; for tests. */
  public int inUse() {
    synchronized (lanes) {
      return small.inUse() + large.inUse() + lanesMade - lanes.size();
    }
  }

  /** How many queues there are for lanes; for tests. */
  public int queues() {
    synchronized (lanes) {
      return 2 * lanesMade;
    }
  }
}
