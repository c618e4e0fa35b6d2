// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.arbalest.device.spi.BooleanKernels;

/**
 * The kernels that convert booleans, in a GPU's context. They are loaded when they are first needed, and then stay
 * loaded until the process ends, as the context does. Loading may wait for the GPU's other work.
 */
final class BooleanModule implements BooleanKernels {
  static final String TEXT = "booleans.ptx";
  static final String TO_BYTES = "arbalest_bits_to_bytes";
  static final String TO_BITS = "arbalest_bytes_to_bits";

  private static final int THREADS = 256;

  /** The largest number of blocks of a launch. For more elements, the kernels have a loop. */
  private static final int MOST_BLOCKS = 65_536;

  private static final int PARAMETERS = 4;

  private final Gpu gpu;

  // Set with the monitor, at most once each; 0 before.
  private long module;
  private long toBytes;
  private long toBits;

  BooleanModule(Gpu gpu) {
    this.gpu = gpu;
  }

  /**
   * Loads the kernels, unless they are loaded, and returns them. If this fails, the next call continues with the step
   * that failed.
   *
   * @throws org.arbalest.device.DeviceException with the driver's error
   */
  synchronized BooleanKernels load() {
    if (module == 0) module = loadModule();
    if (toBytes == 0) toBytes = function(TO_BYTES);
    if (toBits == 0) toBits = function(TO_BITS);
    return this;
  }

  private long loadModule() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(text());
      MemorySegment scratch = Cu.scratch();
      gpu.enter(); // relaxed: a capture forbids loading
      int code = Cu.MODULE_LOAD_DATA.call(scratch.address(), text.address());
      gpu.leave();
      gpu.check(code, Cu.MODULE_LOAD_DATA);
      return scratch.get(JAVA_LONG, 0);
    }
  }

  private long function(String kernel) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(kernel);
      MemorySegment scratch = Cu.scratch();
      gpu.enter(); // relaxed: with lazy loading, this call loads the kernel
      int code = Cu.MODULE_GET_FUNCTION.call(scratch.address(), module, name.address());
      gpu.leave();
      if (code != Cu.SUCCESS) throw gpu.error(Cu.MODULE_GET_FUNCTION, code, kernel);
      return scratch.get(JAVA_LONG, 0);
    }
  }

  private static String text() {
    try (InputStream text = Objects.requireNonNull(BooleanModule.class.getResourceAsStream(TEXT), TEXT)) {
      return new String(text.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void toBytes(long queue, long from, long first, long count, long to) {
    launch(toBytes, queue, count, from, first, count, to);
  }

  @Override
  public void toBits(long queue, long from, long first, long count, long to) {
    launch(toBits, queue, (count + 7) >>> 3, from, first, count, to);
  }

  /** Launches a kernel for a number of elements to write. The driver copies the parameters during the call. */
  private void launch(long kernel, long queue, long elements, long from, long first, long count, long to) {
    MemorySegment scratch = Cu.scratch();
    long list = (long) Long.BYTES * PARAMETERS; // the pointers to the parameters are behind these
    for (int i = 0; i < PARAMETERS; i++)
      scratch.set(JAVA_LONG, list + (long) Long.BYTES * i, scratch.address() + (long) Long.BYTES * i);
    scratch.setAtIndex(JAVA_LONG, 0, from);
    scratch.setAtIndex(JAVA_LONG, 1, first);
    scratch.setAtIndex(JAVA_LONG, 2, count);
    scratch.setAtIndex(JAVA_LONG, 3, to);
    gpu.enterOrdered();
    int code =
        Cu.LAUNCH_KERNEL.call(kernel, blocks(elements), 1, 1, THREADS, 1, 1, 0, queue, scratch.address() + list, 0);
    gpu.leave();
    if (code != Cu.SUCCESS) throw gpu.error(Cu.LAUNCH_KERNEL, code, count + " booleans");
  }

  /** Returns the number of blocks of a launch. */
  static int blocks(long elements) {
    return (int) Math.min(Math.ceilDiv(elements, (long) THREADS), MOST_BLOCKS);
  }
}
