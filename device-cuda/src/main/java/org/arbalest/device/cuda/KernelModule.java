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
import org.arbalest.device.spi.BitCounter;
import org.arbalest.device.spi.BooleanKernels;
import org.jspecify.annotations.Nullable;

/**
 * The kernels that convert booleans and count bits, in a GPU's context. They are loaded when they are first needed, and
 * then stay loaded until the process ends, as the context does. Loading may wait for the GPU's other work.
 */
final class KernelModule implements BooleanKernels, BitCounter {
  static final String TEXT = "kernels.ptx";
  static final String TO_BYTES = "arbalest_bits_to_bytes";
  static final String TO_BITS = "arbalest_bytes_to_bits";

  static final String COUNT_ONES = "arbalest_count_ones";

  private static final int THREADS = 256;

  /** The largest number of blocks of a launch. For more elements, the kernels have a loop. */
  private static final int MOST_BLOCKS = 65_536;

  /**
   * The largest number of blocks that count the ones of one bitmap: all threads that an H100 runs at once. Each warp
   * adds to the same sum in the end, and the GPU makes these additions one after another.
   */
  private static final int MOST_COUNTING_BLOCKS = 1024;

  /** The number of words of 8 bytes that a thread counts, unless all blocks are used. */
  private static final int WORDS_OF_A_THREAD = 8;

  /** The largest second dimension of a grid: "Maximum y- or z-dimension of a grid of thread blocks". */
  private static final int MOST_ROWS = 65_535;

  private final Gpu gpu;

  // Set with the monitor, at most once each; 0 before.
  private long module;
  private long toBytes;
  private long toBits;
  private long countOnes;
  private boolean isUnloadable;

  KernelModule(Gpu gpu) {
    this.gpu = gpu;
  }

  /**
   * Loads the kernels, unless they are loaded, and returns them. If this fails, the next call continues with the step
   * that failed.
   *
   * @throws org.arbalest.device.DeviceException with the driver's error
   */
  synchronized BooleanKernels load() {
    loadModule();
    if (toBytes == 0) toBytes = function(TO_BYTES);
    if (toBits == 0) toBits = function(TO_BITS);
    return this;
  }

  /**
   * Loads the kernel that counts, unless it is loaded. Returns null if the driver cannot translate kernels for this
   * GPU, as in a container without the driver's compiler, or has no memory for it now.
   *
   * @throws org.arbalest.device.DeviceException with the driver's other errors
   */
  synchronized @Nullable BitCounter loadCounter() {
    if (countOnes != 0) return this;
    if (isUnloadable) return null;
    int code = tryLoadModule();
    CuFunction function = Cu.MODULE_LOAD_DATA;
    if (code == Cu.SUCCESS) {
      function = Cu.MODULE_GET_FUNCTION;
      code = tryFunction(COUNT_ONES);
      if (code == Cu.SUCCESS) countOnes = Cu.scratch().get(JAVA_LONG, 0);
    }
    isUnloadable = Cu.CANNOT_TRANSLATE.contains(code);
    if (isUnloadable || code == Cu.OUT_OF_MEMORY) return null;
    gpu.check(code, function);
    return this;
  }

  private void loadModule() {
    gpu.check(tryLoadModule(), Cu.MODULE_LOAD_DATA);
  }

  /** Returns the driver's code. */
  private int tryLoadModule() {
    if (module != 0) return Cu.SUCCESS;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom(text());
      MemorySegment scratch = Cu.scratch();
      gpu.enter(); // relaxed: a capture forbids loading
      int code = Cu.MODULE_LOAD_DATA.call(scratch.address(), text.address());
      gpu.leave();
      if (code == Cu.SUCCESS) module = scratch.get(JAVA_LONG, 0);
      return code;
    }
  }

  private long function(String kernel) {
    int code = tryFunction(kernel);
    if (code != Cu.SUCCESS) throw gpu.error(Cu.MODULE_GET_FUNCTION, code, kernel);
    return Cu.scratch().get(JAVA_LONG, 0);
  }

  /** Writes the handle of a kernel to {@link Cu#scratch}, and returns the driver's code. */
  private int tryFunction(String kernel) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(kernel);
      gpu.enter(); // relaxed: with lazy loading, this call loads the kernel
      int code = Cu.MODULE_GET_FUNCTION.call(Cu.scratch().address(), module, name.address());
      gpu.leave();
      return code;
    }
  }

  private static String text() {
    try (InputStream text = Objects.requireNonNull(KernelModule.class.getResourceAsStream(TEXT), TEXT)) {
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

  @Override
  public void countOnes(long queue, long table, int rows, long longest) {
    long elements = Math.ceilDiv(longest, (long) Long.SIZE * WORDS_OF_A_THREAD);
    int width = Math.min(blocks(elements), MOST_COUNTING_BLOCKS);
    launch(countOnes, queue, width, Math.min(rows, MOST_ROWS), rows + " bitmaps", table, rows);
  }

  /** Launches a kernel for a number of elements to write. */
  private void launch(long kernel, long queue, long elements, long from, long first, long count, long to) {
    launch(kernel, queue, blocks(elements), 1, count + " booleans", from, first, count, to);
  }

  /** Launches a kernel with a grid of blocks. The driver copies the parameters during the call. */
  private void launch(long kernel, long queue, int width, int height, String what, long... parameters) {
    MemorySegment scratch = Cu.scratch();
    long list = (long) Long.BYTES * parameters.length; // the pointers to the parameters are behind these
    for (int i = 0; i < parameters.length; i++) {
      scratch.setAtIndex(JAVA_LONG, i, parameters[i]);
      scratch.set(JAVA_LONG, list + (long) Long.BYTES * i, scratch.address() + (long) Long.BYTES * i);
    }
    gpu.enterOrdered();
    int code = Cu.LAUNCH_KERNEL.call(kernel, width, height, 1, THREADS, 1, 1, 0, queue, scratch.address() + list, 0);
    gpu.leave();
    if (code != Cu.SUCCESS) throw gpu.error(Cu.LAUNCH_KERNEL, code, what);
  }

  /** Returns the number of blocks of a launch. */
  static int blocks(long elements) {
    return (int) Math.min(Math.ceilDiv(elements, (long) THREADS), MOST_BLOCKS);
  }
}
