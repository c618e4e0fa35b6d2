// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.arbalest.device.Availability;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceIdentity;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.DeviceProvider;
import org.jspecify.annotations.Nullable;

/**
 * The backend for every GPU that the CUDA driver lists, by its ordinal.
 *
 * <p>A GPU's own memory is {@code CUDA}. Main memory that is pinned for the GPU is {@code CUDA_HOST}. Memory that the
 * GPU and the CPU share is {@code CUDA_MANAGED}, if both can use it at the same time.
 */
public final class CudaProvider implements DeviceProvider {
  private static final List<DeviceType> TYPES = List.of(DeviceType.CUDA, DeviceType.CUDA_HOST, DeviceType.CUDA_MANAGED);

  /** Creates the provider, for {@link java.util.ServiceLoader}. */
  public CudaProvider() {}

  @Override
  public List<DeviceType> types() {
    return TYPES;
  }

  static boolean serves(DeviceType type) {
    return TYPES.contains(type);
  }

  @Override
  public Availability probe(DeviceType type) {
    String missing = CuLibrary.missing();
    if (missing != null) return new Availability.Missing(missing);
    int code = Cu.INIT.call(0);
    if (code != Cu.SUCCESS) {
      return new Availability.Missing(Cu.INIT.label() + " failed: " + CuErrors.describe(code) + version());
    }
    MemorySegment scratch = Cu.scratch();
    code = Cu.DEVICE_GET_COUNT.call(scratch.address());
    if (code != Cu.SUCCESS) {
      return new Availability.Missing(Cu.DEVICE_GET_COUNT.label() + " failed: " + CuErrors.describe(code));
    }
    int count = scratch.get(JAVA_INT, 0);
    if (count == 0) return new Availability.Missing("the CUDA driver finds no GPU" + version());
    String unshared = type.equals(DeviceType.CUDA_MANAGED) ? unshared(count) : null;
    return unshared != null ? new Availability.Missing(unshared) : new Availability.Ready(count);
  }

  /** Returns why no GPU has managed memory that the CPU may access while the GPU works; null if one has. */
  private static @Nullable String unshared(int count) {
    for (int ordinal = 0; ordinal < count; ordinal++) {
      if (Gpu.attribute(ordinal, Cu.CONCURRENT_MANAGED_ACCESS) != 0) return null;
    }
    return "the CPU may not access managed memory while one of the " + count
        + " GPUs works (concurrentManagedAccess is 0)";
  }

  private static String version() {
    MemorySegment scratch = Cu.scratch();
    if (Cu.DRIVER_GET_VERSION.call(scratch.address()) != Cu.SUCCESS) return "";
    int version = scratch.get(JAVA_INT, 0);
    return "; the driver is for CUDA " + CuFunction.version(version);
  }

  @Override
  public DeviceDriver open(DeviceType type, long id) {
    if (probe(type) instanceof Availability.Missing(String why)) throw new DeviceException(Errno.ENOSYS, why);
    int ordinal = Math.toIntExact(id);
    if (type.equals(DeviceType.CUDA_MANAGED) && Gpu.attribute(ordinal, Cu.CONCURRENT_MANAGED_ACCESS) == 0) {
      throw new DeviceException(Errno.ENOSYS,
          "the CPU may not access managed memory while GPU " + id + " works (concurrentManagedAccess is 0)");
    }
    return CudaDriver.of(Gpu.open(ordinal), type);
  }

  @Override
  public String describe(DeviceType type, long id) {
    String gpu = Gpu.describe(Math.toIntExact(id)) + version();
    if (type.equals(DeviceType.CUDA_HOST)) return "pinned main memory for " + gpu;
    return type.equals(DeviceType.CUDA_MANAGED) ? "managed memory of " + gpu : gpu;
  }

  @Override
  public DeviceIdentity identity(DeviceType type, long id) {
    return CuIdentity.of(Math.toIntExact(id));
  }

  static Gpu gpu(Device device) {
    if (!serves(device.type())) throw new IllegalArgumentException(device + " is not a CUDA device");
    if (device.isOpaque()) throw new IllegalArgumentException(device + " is not served by this backend");
    return Gpu.open(Math.toIntExact(Math.max(0, device.id()))); // −1 is pinned memory of no particular GPU (DEV-16)
  }
}
