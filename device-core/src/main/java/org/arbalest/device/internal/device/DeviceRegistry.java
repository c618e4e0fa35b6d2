// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.arbalest.device.Availability.Missing;
import org.arbalest.device.Availability.Ready;
import org.arbalest.device.Availability;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStatus;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.access.NativeAccess;
import org.arbalest.device.internal.cpu.CpuProvider;
import org.arbalest.device.spi.DeviceProvider;
import org.jspecify.annotations.Nullable;

/** The devices of this process and the backends that serve them: see {@link org.arbalest.device.Devices}. */
public final class DeviceRegistry {
  /** Types that the status lists as missing even if no backend for them is on the class path. */
  private static final List<DeviceType> USUAL = List.of(DeviceType.CUDA, DeviceType.OPENCL, DeviceType.ROCM);

  /**
   * The limit of devices of one type. A backend that reports more has counted wrongly: the registry looks up, lists and
   * remembers devices one by one.
   */
  static final int MOST_DEVICES = 1 << 16;

  /** A backend of the library: its artifact, and the file of its provider. */
  private record Artifact(String name, String provider) {}

  /** The library's backends for device types, by the beginning of the types' names. */
  private static final Map<String, Artifact> ARTIFACTS = Map.of(
      "CUDA", new Artifact("arbalest-device-cuda", "org/arbalest/device/cuda/CudaProvider.class"),
      "OPENCL", new Artifact("arbalest-device-opencl", "org/arbalest/device/opencl/OpenClProvider.class"),
      "ROCM", new Artifact("arbalest-device-rocm", "org/arbalest/device/rocm/RocmProvider.class"));

  private DeviceRegistry() {}

  /** The backends on the class path or module path, found when the program first asks for more than the CPU. */
  private static final class Backends {
    /** The backend of each device type. The first backend found for a type serves it. */
    static final Map<DeviceType, DeviceProvider> PROVIDERS = new HashMap<>();

    static final List<String> BROKEN = new ArrayList<>();
    static final OpenDevices OPEN;

    static {
      // This provider is registered without a service file, because jars that were merged into one often lose their
      // service files.
      PROVIDERS.put(DeviceType.CPU, new CpuProvider());
      loadProviders();
      OPEN = new OpenDevices(PROVIDERS, System::nanoTime);
    }

    private Backends() {}

    /** Uses this class's loader, because a thread that native code attached has no context class loader. */
    private static void loadProviders() {
      Iterator<DeviceProvider> found =
          ServiceLoader.load(DeviceProvider.class, DeviceRegistry.class.getClassLoader()).iterator();
      while (true) {
        try {
          if (!found.hasNext()) return;
          add(found.next());
        } catch (ServiceConfigurationError | LinkageError e) {
          BROKEN.add(e.getCause() == null ? e.getMessage() : e.getMessage() + ": " + e.getCause());
        }
      }
    }

    private static void add(DeviceProvider provider) {
      try {
        for (DeviceType type : List.copyOf(provider.types())) PROVIDERS.putIfAbsent(type, provider);
      } catch (RuntimeException | LinkageError e) {
        BROKEN.add(provider.getClass().getName() + " failed to name its device types: " + e);
      }
    }
  }

  /** Returns whether devices of a type are available, and the reason if they are not. */
  public static Availability availability(DeviceType type) {
    Objects.requireNonNull(type, "type");
    DeviceProvider provider = provider(type);
    if (provider == null) {
      return new Missing("no backend for " + type + " was found on the class path or module path" + artifact(type)
          + (Backends.BROKEN.isEmpty() ? "" : "; " + Backends.BROKEN));
    }
    return probe(provider, type);
  }

  /**
   * Returns a backend's answer. If the backend fails, or if its answer is impossible, the result is {@link Missing}.
   */
  public static Availability probe(DeviceProvider provider, DeviceType type) {
    if (!NativeAccess.isEnabled()) return new Missing(NativeAccess.why());
    try {
      Availability answer = Objects.requireNonNull(provider.probe(type), "it answered null");
      if (!(answer instanceof Ready(int count)) || (count >= 0 && count <= MOST_DEVICES)) return answer;
      return new Missing(
          provider.getClass().getName() + " returned an impossible number of devices of " + type + ": " + count);
    } catch (RuntimeException | LinkageError e) {
      String refused = NativeAccess.whyRefused(provider.getClass().getModule(), e);
      return new Missing(
          refused != null ? refused : provider.getClass().getName() + " failed to probe " + type + ": " + e);
    }
  }

  /**
   * Returns a device that can be used.
   *
   * @throws DeviceException with {@code ENOSYS} and the reason, if the device is unavailable
   */
  public static Device device(DeviceType type, long id) {
    NativeAccess.require();
    Device device = find(type, id, true);
    if (!device.isOpaque()) return device;
    String reason = switch (availability(type)) {
      case Missing(String why) -> why;
      case Ready(int count) ->
          (count > 1 ? "there are " : "there is ") + new Ready(count) + " of " + type + ", counted from 0";
    };
    throw new DeviceException(Errno.ENOSYS, device + " is unavailable, because " + reason);
  }

  /**
   * Returns a hint that names the library's artifact for a type; if its classes are there, the service files, which a
   * merge of jars often loses. Returns an empty text if no artifact serves the type.
   */
  static String artifact(DeviceType type) {
    String name = type.name();
    Artifact artifact = ARTIFACTS.get(name.contains("_") ? name.substring(0, name.indexOf('_')) : name);
    if (artifact == null) return "";
    if (!isPresent(artifact.provider)) return ": add org.arbalest:" + artifact.name;
    return ": the classes of " + artifact.name + " are there, but no file META-INF/services/"
        + DeviceProvider.class.getName() + " names them; where one jar is made of several, merge these files (Maven "
        + "Shade's ServicesResourceTransformer, Gradle Shadow's mergeServiceFiles)";
  }

  private static boolean isPresent(String file) {
    ClassLoader ours = DeviceRegistry.class.getClassLoader();
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return (ours != null && ours.getResource(file) != null) || (context != null && context.getResource(file) != null);
  }

  /** Returns the status of each device type that has a backend, and of the usual types without one. */
  public static List<DeviceStatus> status() {
    List<DeviceType> types = new ArrayList<>(Backends.PROVIDERS.keySet());
    for (DeviceType usual : USUAL) {
      if (!types.contains(usual)) types.add(usual);
    }
    types.sort(Comparator.comparingInt(DeviceType::code));
    return types.stream().map(DeviceRegistry::status).toList();
  }

  private static DeviceStatus status(DeviceType type) {
    Availability availability = availability(type);
    List<String> descriptions = new ArrayList<>();
    DeviceProvider provider = provider(type);
    if (provider != null && availability instanceof Ready(int count)) {
      for (int id = 0; id < count; id++) descriptions.add(describe(provider, type, id));
    }
    return new DeviceStatus(type, availability, descriptions);
  }

  private static String describe(DeviceProvider provider, DeviceType type, int id) {
    try {
      return provider.describe(type, id);
    } catch (RuntimeException | LinkageError e) {
      return "failed to describe itself: " + e;
    }
  }

  private static List<String> leftOut(DeviceType type) {
    DeviceProvider provider = provider(type);
    if (provider == null) return List.of();
    try {
      return provider.leftOut(type);
    } catch (RuntimeException | LinkageError e) {
      return List.of("unknown devices: " + e);
    }
  }

  /** Returns a text with one line for each device, and one for each type without devices. */
  public static String describe() {
    StringBuilder text = new StringBuilder();
    for (DeviceStatus status : status()) {
      switch (status.availability()) {
        case Missing(String reason) ->
            text.append(status.type()).append(": unavailable, because ").append(reason).append('\n');
        case Ready(int count) -> {
          if (count == 0) text.append(status.type()).append(": no device\n");
          for (int id = 0; id < count; id++) {
            text.append(new DeviceImpl(status.type(), status.type().equals(DeviceType.CPU) ? -1 : id, null));
            text.append(": ").append(status.descriptions().get(id)).append('\n');
          }
          for (String line : leftOut(status.type())) {
            text.append(status.type()).append(": left out ").append(line).append('\n');
          }
        }
      }
    }
    return text.toString();
  }

  /**
   * Returns the device of an array that came from outside. The device is usable or opaque (DEV-09). If it is opaque,
   * the next array queries it again, with a pause between queries (DEV-18).
   */
  public static Device find(DeviceType type, long id) {
    return find(type, id, false);
  }

  private static Device find(DeviceType type, long id, boolean isWanted) {
    if (type.code() == 1 && CpuDevice.CPU != null) return CpuDevice.CPU;
    if (id == -1 && isPinned(type)) return DeviceImpl.unwrap(find(type, 0, isWanted)).unnumbered();
    return isWanted ? Backends.OPEN.want(type, id) : Backends.OPEN.find(type, id);
  }

  /** Returns whether the type is main memory that is pinned for GPUs. The id selects one GPU or no particular GPU. */
  private static boolean isPinned(DeviceType type) {
    return type.equals(DeviceType.CUDA_HOST) || type.equals(DeviceType.ROCM_HOST);
  }

  static @Nullable DeviceProvider provider(DeviceType type) {
    return Backends.PROVIDERS.get(type);
  }
}
