package org.arbalest.device.spi;

/**
 * The calls into one device's runtime, over raw handles.
 *
 * <p>A driver moves numbers and owns nothing: counting, locking and refusing use after close is core's work. Every method may be called
 * from any thread, and sets whatever context the runtime needs by itself (DEV-10). A method that fails throws a
 * {@link org.arbalest.device.DeviceException} which names the call, the device, the code and what was asked for (DEV-14).
 */
public interface DeviceDriver {
  /** Whether the CPU can read and write this device's memory through the pointers that {@link #allocate} returns. */
  boolean isCpuAccessible();

  /**
   * Allocates memory, whose content is undefined.
   *
   * @param bytes how many, at least 1
   * @param alignment of the address returned; a power of two, at most 4096
   * @return the address, never 0
   */
  long allocate(long bytes, long alignment);

  /**
   * Frees what {@link #allocate} returned. Does not throw: a failure here can only be reported.
   *
   * @param address from {@link #allocate}
   * @param bytes as given to {@link #allocate}
   */
  void free(long address, long bytes);
}
