// SPDX-License-Identifier: Apache-2.0
/** ROCm devices, for {@code org.arbalest.device}. */
module org.arbalest.device.rocm {
  requires static org.jspecify;
  requires transitive org.arbalest.device;

  exports org.arbalest.device.rocm;

  provides org.arbalest.device.spi.DeviceProvider with
      org.arbalest.device.rocm.RocmProvider;
}
