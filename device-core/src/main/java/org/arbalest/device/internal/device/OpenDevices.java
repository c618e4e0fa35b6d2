// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.arbalest.device.Availability.Missing;
import org.arbalest.device.Availability.Ready;
import org.arbalest.device.Availability;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.access.NativeAccess;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.DeviceProvider;
import org.jspecify.annotations.Nullable;

/**
 * The devices that arrays or the application use. A device that is open stays open. A device that is missing or fails
 * to open is opaque (DEV-09), and is tried again when another array comes from it (DEV-18).
 *
 * <p>A try may take long, and arrays come often. Therefore a device type is probed, and a device opened, at most once
 * in a pause. The pause grows as long as the tries fail.
 */
public final class OpenDevices {
  static final long SHORTEST_PAUSE = TimeUnit.SECONDS.toNanos(1);
  static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);

  /** The limit of remembered opaque devices. Their ids come from outside, so their number must have a limit. */
  private static final int MOST_REMEMBERED = 256;

  private final Kind[] kinds;
  private final LongSupplier nanoTime;

  /** The known devices. {@link #remember} replaces the array. */
  private volatile Device[] known = {};

  /** Creates a set without open devices. A test passes its own clock. */
  public OpenDevices(Map<DeviceType, DeviceProvider> providers, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    IdentityHashMap<DeviceProvider, ReentrantLock> locks = new IdentityHashMap<>();
    this.kinds = providers.entrySet().stream()
        .map(entry -> new Kind(entry.getKey(), entry.getValue(),
            locks.computeIfAbsent(entry.getValue(), _ -> new ReentrantLock())))
        .toArray(Kind[]::new);
  }

  /** The time at which a failed operation may be tried again. Each failure makes the pause longer. */
  private final class Pause {
    private volatile long due = nanoTime.getAsLong();
    private long length = SHORTEST_PAUSE;

    /** The last failure, or an empty text if nothing failed. */
    private volatile String why = "";

    boolean isOver() {
      return nanoTime.getAsLong() - due >= 0;
    }

    void begin(String reason) {
      why = reason;
      due = nanoTime.getAsLong() + length;
      length = Math.min(2 * length, LONGEST_PAUSE);
    }

    void reset() {
      length = SHORTEST_PAUSE;
    }
  }

  /** A device type that a provider serves, and the known state of its devices. Changed under the lock. */
  private final class Kind {
    final DeviceType type;
    final DeviceProvider provider;

    /** Guards probing and opening. Each provider has one lock, so that no provider waits for another. */
    final ReentrantLock lock;

    private final Pause asking = new Pause();

    /** One pause for each available device. */
    private volatile Pause[] opening = {};

    Kind(DeviceType type, DeviceProvider provider, ReentrantLock lock) {
      this.type = type;
      this.provider = provider;
      this.lock = lock;
    }

    /** Returns whether the device of an array may be probed or opened now. */
    boolean isDue(long id) {
      Pause pause = opening(id);
      return (pause == null ? asking : pause).isOver();
    }

    /** Returns the device if it is available, may be tried now and opens. Otherwise returns an opaque device. */
    DeviceImpl open(long id, boolean isWanted) {
      DeviceDriver driver = tryOpen(id, isWanted);
      return driver == null ? DeviceImpl.absent(type, id, () -> whyAbsent(id)) : new DeviceImpl(type, id, driver);
    }

    /** Returns the current reason. An opaque device that was missing may have failed to open since then. */
    private String whyAbsent(long id) {
      Pause pause = opening(id);
      return pause == null || pause.why.isEmpty() ? asking.why : pause.why;
    }

    /**
     * Returns the driver of an available device, or null if the device is missing or not due. For an array's device, a
     * failure to open it has the same result as a missing device.
     */
    private @Nullable DeviceDriver tryOpen(long id, boolean isWanted) {
      if (!isWanted && !isDue(id)) return null;
      if (opening(id) == null) ask(id);
      Pause pause = opening(id);
      if (pause == null) return null;
      try {
        return openDriver(this, id);
      } catch (DeviceException e) {
        pause.begin(String.valueOf(e.getMessage()));
        if (isWanted) throw e;
        Faults.report("opening the device of an array, which is opaque now,", e);
        return null;
      }
    }

    private void ask(long id) {
      int before = opening.length;
      Availability answer = DeviceRegistry.probe(provider, type);
      int count = answer instanceof Ready(int devices) ? devices : 0;
      Pause[] pauses = Arrays.copyOf(opening, count);
      for (int i = before; i < count; i++) pauses[i] = new Pause();
      opening = pauses;
      if (opening(id) == null) {
        asking.begin(answer instanceof Missing(String reason) ? reason : "its backend has only " + count);
      } else {
        asking.reset();
      }
    }

    /** Returns the pause of a device, or null if the device is missing. */
    private @Nullable Pause opening(long id) {
      Pause[] pauses = opening;
      long index = type.equals(DeviceType.CPU) ? 0 : id;
      return index >= 0 && index < pauses.length ? pauses[(int) index] : null;
    }
  }

  /** Returns the device of an array that came from outside. The device is usable or opaque. */
  public Device find(DeviceType type, long id) {
    Device device = known(type, id);
    if (device == null) return open(type, id, false);
    if (!device.isOpaque()) return device;
    Kind kind = kind(type);
    if (kind == null || !kind.isDue(id) || !kind.lock.tryLock()) return device; // another thread probes the devices now
    try {
      return open(type, id, false);
    } finally {
      kind.lock.unlock();
    }
  }

  /** Returns a device that the application wants to use. If it was missing, it is probed now. */
  public Device want(DeviceType type, long id) {
    Device device = known(type, id);
    return device == null || device.isOpaque() ? open(type, id, true) : device;
  }

  private @Nullable Device known(DeviceType type, long id) {
    for (Device device : known) {
      if (device.type().code() == type.code() && device.id() == id) return device;
    }
    return null;
  }

  private @Nullable Kind kind(DeviceType type) {
    for (Kind kind : kinds) {
      if (kind.type.code() == type.code()) return kind;
    }
    return null;
  }

  private Device open(DeviceType type, long id, boolean isWanted) {
    Kind kind = kind(type);
    if (kind == null) return remember(new DeviceImpl(type, id, null));
    kind.lock.lock();
    try {
      Device before = known(type, id);
      if (before != null && !before.isOpaque()) return before;
      return remember(kind.open(id, isWanted));
    } finally {
      kind.lock.unlock();
    }
  }

  private synchronized Device remember(Device device) {
    Device before = known(device.type(), device.id());
    if (before != null && device.isOpaque()) return before;
    Device[] devices = known;
    int place = before == null ? devices.length : Arrays.asList(devices).indexOf(before);
    if (device.isOpaque() && place >= MOST_REMEMBERED) return device;
    Device[] more = Arrays.copyOf(devices, Math.max(devices.length, place + 1));
    more[place] = device;
    known = more;
    return device;
  }

  private static DeviceDriver openDriver(Kind kind, long id) {
    try {
      return Objects.requireNonNull(kind.provider.open(kind.type, id), "it returned null");
    } catch (DeviceException e) {
      throw e;
    } catch (RuntimeException | LinkageError e) {
      DeviceImpl device = new DeviceImpl(kind.type, id, null);
      String refused = NativeAccess.whyRefused(kind.provider.getClass().getModule(), e);
      if (refused != null) throw new DeviceException(Errno.ENOSYS, device + " is unavailable, because " + refused, e);
      String what = kind.provider.getClass().getName() + " failed to open " + device;
      throw new DeviceException(Errno.EIO, what + ": " + e, e);
    }
  }
}
