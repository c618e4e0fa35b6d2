// SPDX-License-Identifier: Apache-2.0
/** Arrow's C Device data interface for the JVM: device arrays and streams, handed over without a copy. */
module org.arbalest.device {
  requires static com.google.errorprone.annotations;
  requires static java.management;
  requires static jdk.jfr;
  requires static jdk.management;
  requires static org.jspecify;

  exports org.arbalest.device;
  exports org.arbalest.device.types;
  exports org.arbalest.device.columns;
  exports org.arbalest.device.builders;
  exports org.arbalest.device.objects;
  exports org.arbalest.device.async;
  exports org.arbalest.device.tensors;
  exports org.arbalest.device.sharing;
  exports org.arbalest.device.statistics;
  exports org.arbalest.device.monitoring;
  exports org.arbalest.device.c;
  exports org.arbalest.device.spi;

  uses org.arbalest.device.spi.DeviceProvider;
  uses org.arbalest.device.objects.ObjectProvider;

  provides org.arbalest.device.spi.DeviceProvider with
      org.arbalest.device.internal.cpu.CpuProvider;
}
