package org.arbalest.device;

import java.util.List;
import org.arbalest.device.internal.build.BatchBuilderImpl;
import org.jspecify.annotations.Nullable;

/**
 * Builds a record batch, column by column, in memory that the CPU can write. Made by {@link Device#batchBuilder(int)} or {@link
 * MemoryManager#batchBuilder(int)}; where the CPU cannot write, the batch is copied there when it is complete.
 *
 * <p>{@link #build} hands the memory on to the array; {@link #close} frees what was not handed on, so that a failure in between leaves
 * nothing allocated. Use it with try-with-resources. Not for several threads at once.
 */
public sealed interface BatchBuilder extends AutoCloseable permits BatchBuilderImpl {
  /** The number of rows that every column must have; if it was not said, that of the first column so far, or 0. */
  int rows();

  /** Sets the metadata of the batch's schema. */
  BatchBuilder metadata(Metadata newMetadata);

  /**
   * Starts a column, to which exactly {@link #rows} values must be appended, or as many as to the others. It belongs to this builder. Any type can be
   * built; an extension type as its storage, and by the appends of its own.
   */
  ColumnBuilder column(Field field);

  /** A column of booleans. */
  BatchBuilder bool(String name, boolean[] values);

  /** A column of 32-bit integers. */
  BatchBuilder int32(String name, int[] values);

  /** A column of 64-bit integers. */
  BatchBuilder int64(String name, long[] values);

  /** A column of 32-bit floats. */
  BatchBuilder float32(String name, float[] values);

  /** A column of 64-bit floats. */
  BatchBuilder float64(String name, double[] values);

  /** A column of text; elements may be null. */
  BatchBuilder utf8(String name, List<? extends @Nullable String> values);

  /**
   * The batch, which the caller must close; this builder is spent. If it had to be copied, its event tells when it is there.
   *
   * @throws IllegalStateException if a column does not have as many values as the batch has rows, or as the first column
   */
  DeviceArray build();

  /** Frees what was not handed on to an array. */
  @Override
  void close();
}
