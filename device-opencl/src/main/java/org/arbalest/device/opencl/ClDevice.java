// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One of the devices of all platforms, with its capabilities.
 *
 * @param id the {@code cl_device_id}
 * @param platform the {@code cl_platform_id}
 * @param platformName the platform's name
 * @param description a description for people
 * @param largestAllocation the largest size of an allocation, in bytes
 * @param baseAlignment the alignment of the beginning of a part of a {@code cl_mem}, in bytes
 * @param svm OpenCL's bits for the kinds of shared virtual memory
 * @param usm the device's unified shared memory, or null
 */
record ClDevice(
    long id, long platform, String platformName, String description, long largestAllocation, long baseAlignment,
    long svm, @Nullable Usm usm) {
  /**
   * The result of a search for devices.
   *
   * @param devices the devices with shared virtual memory, or unified shared memory, in the order of the platforms
   * @param leftOut a line for each other device, and for each platform that failed
   * @param reason why no device was found, otherwise null
   */
  record Found(List<ClDevice> devices, List<String> leftOut, @Nullable String reason) {}

  boolean isPocl() {
    return platformName.equals("Portable Computing Language");
  }

  boolean hasSvm() {
    return (svm & Cl.SVM_COARSE_GRAIN_BUFFER) != 0;
  }

  boolean has(UnifiedMemory kind) {
    return usm != null && usm.has(kind);
  }

  boolean isFineGrained() {
    return (svm & Cl.SVM_FINE_GRAIN_BUFFER) != 0;
  }

  /** Queries the loader, which must be available. */
  static Found find() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
      int code = Cl.getPlatformIds(0, 0, count.address());
      int platforms = count.get(ValueLayout.JAVA_INT, 0);
      if (code != 0 || platforms == 0) return none("the OpenCL library has no platform: " + ClErrors.describe(code));
      MemorySegment ids = arena.allocate(ValueLayout.JAVA_LONG, platforms);
      code = Cl.getPlatformIds(platforms, ids.address(), 0);
      if (code != 0) return none("clGetPlatformIDs failed: " + ClErrors.describe(code));
      List<ClDevice> all = new ArrayList<>();
      List<String> leftOut = new ArrayList<>();
      for (int i = 0; i < platforms; i++) addDevices(arena, ids.getAtIndex(ValueLayout.JAVA_LONG, i), all, leftOut);
      String failures = leftOut.isEmpty() ? "" : ": " + String.join("; ", leftOut);
      List<ClDevice> usable = new ArrayList<>();
      for (ClDevice device : all) {
        if (device.hasSvm() || device.has(UnifiedMemory.DEVICE)) usable.add(device);
        else leftOut.add(device.description() + (device.usm() == null ? "" : ", but not of the kind DEVICE"));
      }
      if (!usable.isEmpty()) return new Found(List.copyOf(usable), List.copyOf(leftOut), null);
      if (all.isEmpty()) return none("the " + platforms + " OpenCL platforms have no devices" + failures);
      return none("none of the " + all.size() + " devices of " + platforms
          + " OpenCL platforms has shared virtual or unified shared memory: " + String.join("; ", leftOut));
    }
  }

  private static Found none(String reason) {
    return new Found(List.of(), List.of(), reason);
  }

  private static void addDevices(Arena arena, long platform, List<ClDevice> all, List<String> leftOut) {
    MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
    int code = Cl.getDeviceIds(platform, Cl.DEVICE_TYPE_ALL, 0, 0, count.address());
    int devices = code == 0 ? count.get(ValueLayout.JAVA_INT, 0) : 0;
    if (devices > 0) {
      MemorySegment ids = arena.allocate(ValueLayout.JAVA_LONG, devices);
      code = Cl.getDeviceIds(platform, Cl.DEVICE_TYPE_ALL, devices, ids.address(), 0);
      for (int i = 0; code == 0 && i < devices; i++) {
        all.add(of(arena, ids.getAtIndex(ValueLayout.JAVA_LONG, i), platform));
      }
    }
    if (code == 0 || code == Cl.DEVICE_NOT_FOUND) return;
    String name = text(arena, platform, Cl.PLATFORM_NAME, Cl::getPlatformInfo);
    leftOut.add("the platform " + name + ", whose clGetDeviceIDs failed: " + ClErrors.describe(code));
  }

  private static ClDevice of(Arena arena, long id, long platform) {
    long svm = number(arena, id, Cl.DEVICE_SVM_CAPABILITIES);
    long largest = number(arena, id, Cl.DEVICE_MAX_MEM_ALLOC_SIZE);
    long memory = number(arena, id, Cl.DEVICE_GLOBAL_MEM_SIZE);
    long alignmentBits = number(arena, id, Cl.DEVICE_MEM_BASE_ADDR_ALIGN);
    Usm usm =
        Usm.of(platform, text(arena, id, Cl.DEVICE_EXTENSIONS, Cl::getDeviceInfo), what -> number(arena, id, what));
    String platformName = text(arena, platform, Cl.PLATFORM_NAME, Cl::getPlatformInfo);
    String description =
        text(arena, id, Cl.DEVICE_NAME, Cl::getDeviceInfo)
            + ", "
            + platformName
            + ", "
            + text(arena, platform, Cl.PLATFORM_VERSION, Cl::getPlatformInfo)
            + ", " + gibibytes(memory) + ", at most " + gibibytes(largest) + " at once, "
            + memoryKinds(svm, usm != null);
    return new ClDevice(id, platform, platformName, description, largest, Math.max(1, alignmentBits / Byte.SIZE), svm,
        usm);
  }

  private static String memoryKinds(long svm, boolean isUnified) {
    String unified = isUnified ? "unified shared memory" : "";
    if ((svm & Cl.SVM_COARSE_GRAIN_BUFFER) == 0) {
      return isUnified ? unified : "without shared virtual or unified shared memory";
    }
    String grains = (svm & Cl.SVM_FINE_GRAIN_BUFFER) != 0 ? "coarse- and fine-grained" : "coarse-grained";
    return grains + " shared virtual memory" + (isUnified ? ", " + unified : "");
  }

  static String gibibytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1 << 30));
  }

  /** Returns an attribute of 32 or 64 bits; 0 if an older platform does not know the attribute. */
  private static long number(Arena arena, long device, int what) {
    MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG); // zeroes
    int code = Cl.getDeviceInfo(device, what, Long.BYTES, value.address(), 0);
    return code == 0 ? value.get(ValueLayout.JAVA_LONG, 0) : 0;
  }

  private interface Info {
    int get(long of, int what, long size, long value, long sizeReturned);
  }

  private static String text(Arena arena, long of, int what, Info info) {
    MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
    if (info.get(of, what, 0, 0, size.address()) != 0) return "?";
    MemorySegment value = arena.allocate(size.get(ValueLayout.JAVA_LONG, 0) + 1);
    if (info.get(of, what, size.get(ValueLayout.JAVA_LONG, 0), value.address(), 0) != 0) return "?";
    return value.getString(0).strip();
  }
}
