// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.arbalest.device.Availability;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceIdentity;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.access.NativeAccess;
import org.arbalest.device.spi.DeviceProvider;
import org.jspecify.annotations.Nullable;

/**
 * Finds devices by their identity, independent of their numbers in this process. Opens only the device that it finds.
 */
public final class DeviceLookup {
  /** The known identities. A device's identity does not change. */
  private static final Map<Known, DeviceIdentity> KNOWN = new ConcurrentHashMap<>();

  /** Domain (drivers write 4 digits, {@code nvidia-smi} 8), bus, device, function. */
  private static final Pattern PCI_BUS_ID =
      Pattern.compile("(?:([0-9a-f]{1,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})(?:\\.([0-7]))?", Pattern.CASE_INSENSITIVE);

  private record Known(DeviceType type, long id) {}

  private DeviceLookup() {}

  /** See {@link org.arbalest.device.Devices#device(DeviceType, UUID)}. */
  public static Device byUuid(DeviceType type, UUID uuid) {
    Objects.requireNonNull(uuid, "uuid");
    return one(type, "the UUID " + uuid, identity -> uuid.equals(identity.uuid()));
  }

  /** See {@link org.arbalest.device.Devices#deviceAt(DeviceType, String)}. */
  public static Device byPciBusId(DeviceType type, String pciBusId) {
    String place = place(pciBusId);
    return one(type, "the PCI bus id " + pciBusId,
        identity -> identity.pciBusId() != null && place.equals(place(identity.pciBusId())));
  }

  /** Returns the same text for each notation of the same PCI bus id. A text that is no PCI bus id stays unchanged. */
  private static String place(String pciBusId) {
    Matcher parts = PCI_BUS_ID.matcher(pciBusId.strip());
    if (!parts.matches()) return pciBusId;
    String domain = parts.group(1) == null ? "0" : parts.group(1);
    String function = parts.group(4) == null ? "0" : parts.group(4);
    return "%x:%x:%x.%s".formatted(Long.parseLong(domain, 16), Integer.parseInt(parts.group(2), 16),
        Integer.parseInt(parts.group(3), 16), function);
  }

  /**
   * Returns the device with a UUID. Parts of some GPUs have the same UUID: among them, the PCI bus id selects the
   * device.
   */
  public static Device byIdentity(DeviceType type, @Nullable UUID uuid, @Nullable String pciBusId) {
    String what = "the UUID " + uuid + (pciBusId == null ? "" : ", at " + pciBusId);
    List<Long> same = matching(type, identity -> uuid != null && uuid.equals(identity.uuid()));
    if (same.size() <= 1 || pciBusId == null) return only(type, what, same);
    return one(type, what,
        identity -> uuid != null && uuid.equals(identity.uuid()) && pciBusId.equals(identity.pciBusId()));
  }

  static DeviceIdentity identity(DeviceType type, long id) {
    DeviceProvider provider = DeviceRegistry.provider(type);
    return provider == null ? DeviceIdentity.UNKNOWN
        : KNOWN.computeIfAbsent(new Known(type, id), _ -> provider.identity(type, id));
  }

  private static Device one(DeviceType type, String what, Predicate<DeviceIdentity> asked) {
    return only(type, what, matching(type, asked));
  }

  private static Device only(DeviceType type, String what, List<Long> found) {
    if (found.size() == 1) return DeviceRegistry.device(type, found.getFirst());
    String how = found.isEmpty() ? "no device of " + type + " has " + what
        : "several devices of " + type + " have " + what + ": " + found;
    throw new DeviceException(Errno.ENOSYS, how + "; there are " + all(type));
  }

  private static List<Long> matching(DeviceType type, Predicate<DeviceIdentity> asked) {
    List<Long> found = new ArrayList<>();
    for (long id = 0; id < count(type); id++) {
      if (asked.test(identity(type, id))) found.add(id);
    }
    return found;
  }

  private static String all(DeviceType type) {
    List<String> all = new ArrayList<>();
    for (long id = 0; id < count(type); id++) {
      all.add((type.equals(DeviceType.CPU) ? "CPU" : type + ":" + id) + " (" + words(identity(type, id)) + ")");
    }
    return all.isEmpty() ? "none" : String.join(", ", all);
  }

  private static String words(DeviceIdentity identity) {
    return (identity.uuid() == null ? "no UUID is known" : identity.uuid())
        + (identity.pciBusId() == null ? ", on no PCI bus" : ", at " + identity.pciBusId());
  }

  private static int count(DeviceType type) {
    NativeAccess.require();
    return switch (DeviceRegistry.availability(type)) {
      case Availability.Ready(int count) -> count;
      case Availability.Missing(String why) ->
          throw new DeviceException(Errno.ENOSYS, type + " is unavailable, because " + why);
    };
  }
}
