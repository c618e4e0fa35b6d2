// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

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

/**
 * The backend for every GPU that HIP lists, by its ordinal.
 *
 * <p>A GPU's own memory is {@code ROCM}. Main memory that is pinned for the GPU is {@code ROCM_HOST}.
 */
public final class RocmProvider implements DeviceProvider {
  private static final List<DeviceType> TYPES = List.of(DeviceType.ROCM, DeviceType.ROCM_HOST);

  /** Creates the provider, for {@link java.util.ServiceLoader}. */
  public RocmProvider() {}

  @Override
  public List<DeviceType> types() {
    return TYPES;
  }

  static boolean serves(DeviceType type) {
    return TYPES.contains(type);
  }

  @Override
  public Availability probe(DeviceType type) {
    String missing = HipLibrary.missing();
    if (missing != null) return new Availability.Missing(missing);
    int version = version();
    if (version != 0 && version < Hip.OLDEST) {
      return new Availability.Missing("HIP is of ROCm " + HipFunction.version(version) + "; ROCm "
          + HipFunction.version(Hip.OLDEST) + " or newer is needed");
    }
    String refusal = HipSearch.refusal(version);
    if (refusal != null) return new Availability.Missing(refusal);
    MemorySegment scratch = Hip.scratch();
    int code = Hip.GET_DEVICE_COUNT.call(scratch.address());
    if (code != Hip.SUCCESS) {
      HipErrors.forget();
      return new Availability.Missing(Hip.GET_DEVICE_COUNT.name() + " failed: " + HipErrors.describe(code)
          + said(version) + hint(code));
    }
    int count = scratch.get(JAVA_INT, 0);
    return count == 0 ? new Availability.Missing("HIP finds no GPU" + said(version) + hint(Hip.NO_DEVICE))
        : new Availability.Ready(count);
  }

  /**
   * Returns a hint for a code. Without a GPU, HIP returns one of the two codes. It also does so for a user without
   * access to the GPU.
   */
  private static String hint(int code) {
    if (code != Hip.NO_DEVICE && code != Hip.INVALID_DEVICE) return "";
    return "; is there an AMD GPU, and may this user open /dev/kfd and /dev/dri/render*?";
  }

  /** Returns the version, as in {@code HIP_VERSION}; 0 if HIP does not report it. */
  private static int version() {
    MemorySegment scratch = Hip.scratch();
    if (Hip.RUNTIME_GET_VERSION.call(scratch.address()) == Hip.SUCCESS) return scratch.get(JAVA_INT, 0);
    HipErrors.forget();
    return 0;
  }

  private static String said(int version) {
    return version == 0 ? "" : "; HIP " + HipFunction.version(version);
  }

  @Override
  public DeviceDriver open(DeviceType type, long id) {
    if (probe(type) instanceof Availability.Missing(String why)) throw new DeviceException(Errno.ENOSYS, why);
    return RocmDriver.of(Gpu.open(Math.toIntExact(id)), type);
  }

  @Override
  public String describe(DeviceType type, long id) {
    String gpu = Gpu.describe(Math.toIntExact(id)) + said(version());
    return type.equals(DeviceType.ROCM_HOST) ? "pinned main memory for " + gpu : gpu;
  }

  @Override
  public DeviceIdentity identity(DeviceType type, long id) {
    return HipIdentity.of(Math.toIntExact(id));
  }

  static Gpu gpu(Device device) {
    if (!serves(device.type())) throw new IllegalArgumentException(device + " is not a ROCm device");
    if (device.isOpaque()) throw new IllegalArgumentException(device + " is not served by this backend");
    return Gpu.open(Math.toIntExact(Math.max(0, device.id()))); // −1 is pinned memory of no particular GPU (DEV-16)
  }
}
