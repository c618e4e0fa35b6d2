// SPDX-License-Identifier: Apache-2.0
/** CUDA devices, for {@code org.arbalest.device}. */
module org.arbalest.device.cuda {
  requires static jcuda;
  requires static org.jspecify;
  requires transitive org.arbalest.device;

  exports org.arbalest.device.cuda;

  provides org.arbalest.device.spi.DeviceProvider with
      org.arbalest.device.cuda.CudaProvider;
}
