package org.arbalest.device;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.spi.Availability.Ready;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.DeviceProvider;
import org.jspecify.annotations.Nullable;

/**
 * The devices that somebody asked for: those that are open stay, those that are missing are opaque (DEV-09), and are asked for again when another
 * array comes from there (DEV-18). Asking may take long, and arrays come often: so a kind of device is asked about at most once in a pause, which
 * grows while nothing comes of it.
 */
final class OpenDevices {
  static final long SHORTEST_PAUSE = TimeUnit.SECONDS.toNanos(1);
  static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);

  /** Opaque devices are remembered too, but not without end: their ids come from outside. */
  private static final int MOST_REMEMBERED = 256;

  private final Kind[] kinds;
  private final LongSupplier nanoTime;

  /** Guards opening and asking. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Replaced under the lock. */
  private volatile Device[] known = {};

  OpenDevices(Map<DeviceType, DeviceProvider> providers, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.kinds = providers.entrySet().stream().map(entry -> new Kind(entry.getKey(), entry.getValue())).toArray(Kind[]::new);
  }

  /** What a provider serves, and what is known about it. */
  private final class Kind {
    final DeviceType type;
    final DeviceProvider provider;

    /** When it may be asked about again. */
    volatile long due = nanoTime.getAsLong();

    private long pause = SHORTEST_PAUSE;
    private int count;

    Kind(DeviceType type, DeviceProvider provider) {
      this.type = type;
      this.provider = provider;
    }

    boolean isDue() {
      return nanoTime.getAsLong() - due >= 0;
    }

    /** Whether a device is there; asks if it was not, and if the time has come. */
    boolean has(long id, boolean now) {
      if (counts(id)) return true;
      if (!now && !isDue()) return false;
      count = Devices.probe(provider, type) instanceof Ready(int devices) ? devices : 0;
      boolean found = counts(id);
      if (!found) due = nanoTime.getAsLong() + pause;
      pause = found ? SHORTEST_PAUSE : Math.min(2 * pause, LONGEST_PAUSE);
      return found;
    }

    private boolean counts(long id) {
      return count > 0 && (type.equals(DeviceType.CPU) || (id >= 0 && id < count));
    }
  }

  /** The device of an array that came from outside: one that can be used, or an opaque one. */
  Device find(DeviceType type, long id) {
    Device device = known(type, id);
    if (device == null) return open(type, id, false);
    if (!device.isOpaque()) return device;
    Kind kind = kind(type);
    if (kind == null || !kind.isDue() || !lock.tryLock()) return device; // another thread is asking
    try {
      return open(type, id, false);
    } finally {
      lock.unlock();
    }
  }

  /** A device that somebody wants to use: if it was missing, it is asked for now. */
  Device want(DeviceType type, long id) {
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

  private Device open(DeviceType type, long id, boolean now) {
    lock.lock();
    try {
      Device before = known(type, id);
      if (before != null && !before.isOpaque()) return before;
      Kind kind = kind(type);
      if (kind != null && kind.has(id, now)) return remember(before, new Device(type, id, openDriver(kind, id)));
      return before == null ? remember(null, new Device(type, id, null)) : before;
    } finally {
      lock.unlock();
    }
  }

  private Device remember(@Nullable Device before, Device device) {
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
      return kind.provider.open(kind.type, id);
    } catch (DeviceException e) {
      throw e;
    } catch (RuntimeException | LinkageError e) {
      String what = kind.provider.getClass().getName() + " failed to open " + new Device(kind.type, id, null);
      throw new DeviceException(Errno.EIO, what + ": " + e, e);
    }
  }
}
