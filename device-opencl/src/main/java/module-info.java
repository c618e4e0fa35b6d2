// SPDX-License-Identifier: Apache-2.0
/** OpenCL devices, for {@code org.arbalest.device}. */
module org.arbalest.device.opencl {
  requires static jocl;
  requires static org.jspecify;
  requires transitive org.arbalest.device;

  exports org.arbalest.device.opencl;

  provides org.arbalest.device.spi.DeviceProvider with
      org.arbalest.device.opencl.OpenClProvider;
}
