// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import org.jspecify.annotations.Nullable;

/**
 * A kind of device that can access a buffer, by its code in {@code ArrowDeviceType} (the same as DLPack's). An
 * immutable value, which any thread may use.
 *
 * <p>The set is open: a code without a name in this class is equally valid (DEV-09).
 *
 * <p>This module serves the CPU. The other types need an artifact on the class path or module path. The group is
 * {@code org.arbalest}:
 *
 * <ul>
 *   <li>{@code arbalest-device-cuda}: {@link #CUDA}, {@link #CUDA_HOST}, {@link #CUDA_MANAGED};
 *   <li>{@code arbalest-device-opencl}: {@link #OPENCL};
 *   <li>{@code arbalest-device-rocm}: {@link #ROCM}, {@link #ROCM_HOST}.
 * </ul>
 *
 * <p>No artifact serves another type. Devices of such a type are opaque, unless the application has its own
 * {@link org.arbalest.device.spi.DeviceProvider} for the type; see {@link Device}.
 *
 * @param code the code of the C interface
 */
public record DeviceType(int code) {
  /** Main memory. */
  public static final DeviceType CPU = new DeviceType(1);

  /** Memory of a CUDA GPU. */
  public static final DeviceType CUDA = new DeviceType(2);

  /** Main memory pinned by CUDA. */
  public static final DeviceType CUDA_HOST = new DeviceType(3);

  /** Memory of an OpenCL device. */
  public static final DeviceType OPENCL = new DeviceType(4);

  /** A Vulkan buffer. */
  public static final DeviceType VULKAN = new DeviceType(7);

  /** Memory of an Apple GPU. */
  public static final DeviceType METAL = new DeviceType(8);

  /** A Verilog simulator's buffer. */
  public static final DeviceType VPI = new DeviceType(9);

  /** Memory of a ROCm GPU. */
  public static final DeviceType ROCM = new DeviceType(10);

  /** Main memory pinned by ROCm. */
  public static final DeviceType ROCM_HOST = new DeviceType(11);

  /** Reserved for a user's own device. */
  public static final DeviceType EXT_DEV = new DeviceType(12);

  /** CUDA managed memory. */
  public static final DeviceType CUDA_MANAGED = new DeviceType(13);

  /** Unified shared memory of oneAPI. */
  public static final DeviceType ONEAPI = new DeviceType(14);

  /** A WebGPU buffer. */
  public static final DeviceType WEBGPU = new DeviceType(15);

  /** Memory of a Hexagon DSP. */
  public static final DeviceType HEXAGON = new DeviceType(16);

  /** Returns the name after {@code ARROW_DEVICE_}, or {@code DEVICE_TYPE_17} for a code without a name. */
  public String name() {
    return switch (code) {
      case 1 -> "CPU";
      case 2 -> "CUDA";
      case 3 -> "CUDA_HOST";
      case 4 -> "OPENCL";
      case 7 -> "VULKAN";
      case 8 -> "METAL";
      case 9 -> "VPI";
      case 10 -> "ROCM";
      case 11 -> "ROCM_HOST";
      case 12 -> "EXT_DEV";
      case 13 -> "CUDA_MANAGED";
      case 14 -> "ONEAPI";
      case 15 -> "WEBGPU";
      case 16 -> "HEXAGON";
      default -> "DEVICE_TYPE_" + code;
    };
  }

  /** Returns whether the other object is the same type. Written out, so that the first call generates no code. */
  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof DeviceType that && code == that.code;
  }

  @Override
  public final int hashCode() {
    return code;
  }

  /** Returns the {@link #name}. */
  @Override
  public String toString() {
    return name();
  }
}
