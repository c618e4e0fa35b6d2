// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc;

import java.util.List;
import java.util.Objects;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.Validation;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@link ArrowFile} and {@link ArrowStream}. Immutable; the {@code with} methods return changed copies.
 */
public final class IpcReadOptions {
  private static final IpcReadOptions DEFAULTS = new IpcReadOptions(null, Validation.BOUNDS, null, 1L << 32, false);

  private final @Nullable List<String> columns;
  private final Validation validation;
  private final @Nullable MemoryManager memory;
  private final long maxAllocation;
  private final boolean isEndMarkRequired;

  private IpcReadOptions(@Nullable List<String> columns, Validation validation, @Nullable MemoryManager memory,
      long maxAllocation, boolean isEndMarkRequired) {
    this.columns = columns;
    this.validation = validation;
    this.memory = memory;
    this.maxAllocation = maxAllocation;
    this.isEndMarkRequired = isEndMarkRequired;
  }

  /** Returns the default: all columns, {@link Validation#BOUNDS}, a mapped file, and at most 4 GiB for one message. */
  public static IpcReadOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Returns these options with a choice of columns. The buffers of other columns are neither read nor decompressed.
   *
   * @param paths the names of columns, in the order of the batches to make, or paths to fields of structs, as in
   *     {@link org.arbalest.device.RecordBatch#select(String...)}: {@code "a.b"} is the field b of the column a, which
   *     then has the chosen fields only. Each occurs once
   * @throws IllegalArgumentException if a path is given twice
   */
  public IpcReadOptions withColumns(String... paths) {
    List<String> chosen = List.of(paths);
    if (chosen.stream().distinct().count() < chosen.size()) {
      throw new IllegalArgumentException("a column is chosen twice: " + chosen);
    }
    return new IpcReadOptions(chosen, validation, memory, maxAllocation, isEndMarkRequired);
  }

  /**
   * Returns these options with another level of validation, which each batch passes before the caller gets it. The
   * default, {@link Validation#BOUNDS}, checks each number that leads to other memory. {@link Validation#FULL} also
   * checks the values, such as text and dates, and then other libraries need not. Use a lower level than the default
   * only for input that is trusted like the application's own code. With {@link Validation#STRUCTURAL}, reading a batch
   * of a mapped file reads no buffer; getters still check each value.
   */
  public IpcReadOptions withValidation(Validation level) {
    return new IpcReadOptions(columns, Objects.requireNonNull(level, "level"), memory, maxAllocation,
        isEndMarkRequired);
  }

  /**
   * Returns these options with a memory for the bodies of messages and for decompressed buffers. A file at a path is
   * then read by a channel, and not mapped. By default, it is mapped, and other bytes are read into the CPU's memory.
   *
   * <p>Zstandard of a mapped file or a segment is decompressed from copies, which this memory has meanwhile: one frame
   * for each thread. {@link ArrowWriter} writes frames of 16 MiB of values. Other programs write one frame for each
   * buffer, so that a buffer needs its compressed size in addition.
   *
   * @param target memory that the CPU can write, such as pinned memory of
   *     {@link org.arbalest.device.Device#hostMemory}. If it has not enough bytes, reading a batch throws a
   *     {@link org.arbalest.device.DeviceException} with {@code ENOMEM}
   * @throws IllegalArgumentException if the CPU cannot write the memory
   */
  public IpcReadOptions withMemory(MemoryManager target) {
    if (!target.isCpuAccessible()) throw new IllegalArgumentException("the CPU cannot write the memory of "
        + target.device() + ", which IPC messages are read into; use its hostMemory(), and copyTo to copy from there");
    return new IpcReadOptions(columns, validation, target, maxAllocation, isEndMarkRequired);
  }

  /**
   * Returns these options with another limit for one allocation. The body of a message is one allocation, and its
   * decompressed buffers are another one. A message that declares more than the limit is rejected before it is read.
   * The same limit holds for the metadata of a message, for a footer, and for one dictionary with all of its deltas.
   *
   * @param bytes the maximum number of bytes
   * @throws IllegalArgumentException if the number is negative
   */
  public IpcReadOptions withMaxAllocation(long bytes) {
    if (bytes < 0) throw new IllegalArgumentException("the largest allocation is negative: " + bytes);
    return new IpcReadOptions(columns, validation, memory, bytes, isEndMarkRequired);
  }

  /**
   * Returns these options with another rule for the end of a stream. By default, a stream may also end without a mark,
   * between two messages, as the format allows. If the mark is required, such an end is an {@link IpcException}: the
   * reader then notices a sender that ended early.
   */
  public IpcReadOptions withEndMarkRequired(boolean isRequired) {
    return new IpcReadOptions(columns, validation, memory, maxAllocation, isRequired);
  }

  /** Returns the names and paths of the chosen columns; null for all columns. */
  public @Nullable List<String> columns() {
    return columns;
  }

  /** Returns the level of validation of each batch. */
  public Validation validation() {
    return validation;
  }

  /** Returns the memory of bodies and decompressed buffers; null for the default. */
  public @Nullable MemoryManager memory() {
    return memory;
  }

  /** Returns the limit of one allocation in bytes. */
  public long maxAllocation() {
    return maxAllocation;
  }

  /** Returns whether a stream must end with a mark. */
  public boolean isEndMarkRequired() {
    return isEndMarkRequired;
  }

  /** Returns whether the other object has the same values. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof IpcReadOptions that && Objects.equals(columns, that.columns)
        && validation == that.validation && Objects.equals(memory, that.memory) && maxAllocation == that.maxAllocation
        && isEndMarkRequired == that.isEndMarkRequired;
  }

  @Override
  public int hashCode() {
    return Objects.hash(columns, validation, memory, maxAllocation, isEndMarkRequired);
  }

  @Override
  public String toString() {
    return "IpcReadOptions[columns=" + columns
        + ", validation=" + validation + ", memory=" + memory + ", maxAllocation=" + maxAllocation
        + ", isEndMarkRequired=" + isEndMarkRequired + "]";
  }
}
