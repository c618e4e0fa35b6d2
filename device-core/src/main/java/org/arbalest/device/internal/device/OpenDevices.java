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
 * The devices that somebody asked for: those that are open stay, those that are missing, or fail to open, are opaque
 * (DEV-09), and are tried again when another array comes from there (DEV-18). That may take long, and arrays come
 * often: so a kind of device is asked about, and a device opened, at most once in a pause, which grows while nothing
 * comes of it.
 */
public final class OpenDevices {
  static final long SHORTEST_PAUSE = TimeUnit.SECONDS.toNanos(1);
  static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);

  /** Opaque devices are remembered too, but not without end: their ids come from outside. */
  private static final int MOST_REMEMBERED = 256;

  private final Kind[] kinds;
  private final LongSupplier nanoTime;

  /** Replaced by {@link #remember}. */
  private volatile Device[] known = {};

  public OpenDevices(Map<DeviceType, DeviceProvider> providers, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    IdentityHashMap<DeviceProvider, ReentrantLock> locks = new IdentityHashMap<>();
    this.kinds = providers.entrySet().stream()
        .map(entry -> new Kind(entry.getKey(), entry.getValue(),
            locks.computeIfAbsent(entry.getValue(), _ -> new ReentrantLock())))
        .toArray(Kind[]::new);
  }

  /** When something may be tried again that came to nothing: later each time. */
  private final class Pause {
    private volatile long due = nanoTime.getAsLong();
    private long length = SHORTEST_PAUSE;

    /** What it came to last; empty if nothing failed. */
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

  /** What a provider serves, and what is known about it. Changed under the lock. */
  private final class Kind {
    final DeviceType type;
    final DeviceProvider provider;

    /** Guards asking and opening: one for each provider, so that none waits for another's. */
    final ReentrantLock lock;

    private final Pause asking = new Pause();

    /** One for each device that is there. */
    private volatile Pause[] opening = {};

    Kind(DeviceType type, DeviceProvider provider, ReentrantLock lock) {
      this.type = type;
      this.provider = provider;
      this.lock = lock;
    }

    /** Whether an array's device may be asked for, or opened. */
    boolean isDue(long id) {
      Pause pause = opening(id);
      return (pause == null ? asking : pause).isOver();
    }

    /** The device, if it is there, may be tried, and opens; else an opaque one. */
    DeviceImpl open(long id, boolean isWanted) {
      DeviceDriver driver = tryOpen(id, isWanted);
      return driver == null ? DeviceImpl.absent(type, id, () -> whyAbsent(id)) : new DeviceImpl(type, id, driver);
    }

    /** What is known now: an opaque device may have failed to open since it was missing. */
    private String whyAbsent(long id) {
      Pause pause = opening(id);
      return pause == null || pause.why.isEmpty() ? asking.why : pause.why;
    }

    /**
     * The driver of a device that is there; null if it is missing, or not due. An array's that fails to open is as good
     * as missing.
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
        asking.begin(answer instanceof Missing(String reason) ? reason : "there is no more than " + count + " of them");
      } else {
        asking.reset();
      }
    }

    /** Null for a device that is not there. */
    private @Nullable Pause opening(long id) {
      Pause[] pauses = opening;
      long index = type.equals(DeviceType.CPU) ? 0 : id;
      return index >= 0 && index < pauses.length ? pauses[(int) index] : null;
    }
  }

  /** The device of an array that came from outside: one that can be used, or an opaque one. */
  public Device find(DeviceType type, long id) {
    Device device = known(type, id);
    if (device == null) return open(type, id, false);
    if (!device.isOpaque()) return device;
    Kind kind = kind(type);
    if (kind == null || !kind.isDue(id) || !kind.lock.tryLock()) return device; // another thread is asking
    try {
      return open(type, id, false);
    } finally {
      kind.lock.unlock();
    }
  }

  /** A device that somebody wants to use: if it was missing, it is asked for now. */
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
