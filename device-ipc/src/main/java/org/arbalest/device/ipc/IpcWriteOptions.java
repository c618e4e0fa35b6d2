// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/** The options of {@link ArrowWriter}. Immutable; the {@code with} methods return changed copies. */
public final class IpcWriteOptions {
  private static final IpcWriteOptions DEFAULTS =
      new IpcWriteOptions(IpcCompression.NONE, 0, 64, Long.MAX_VALUE, Metadata.empty(), Map.of(), false, false);

  private final IpcCompression compression;
  private final int compressionLevel;
  private final int alignment;
  private final long maxBatchRows;
  private final Metadata metadata;
  private final Map<Long, Metadata> dictionaryMetadata;
  private final boolean hasDictionaryDeltas;
  private final boolean isSynced;

  private IpcWriteOptions(IpcCompression compression, int compressionLevel, int alignment, long maxBatchRows,
      Metadata metadata, Map<Long, Metadata> dictionaryMetadata, boolean hasDictionaryDeltas, boolean isSynced) {
    this.compression = compression;
    this.compressionLevel = compressionLevel;
    this.alignment = alignment;
    this.maxBatchRows = maxBatchRows;
    this.metadata = metadata;
    this.dictionaryMetadata = dictionaryMetadata;
    this.hasDictionaryDeltas = hasDictionaryDeltas;
    this.isSynced = isSynced;
  }

  /** Returns the default: no compression, an alignment of 64 bytes, no limit to the rows of a batch. */
  public static IpcWriteOptions defaults() {
    return DEFAULTS;
  }

  /** Returns these options with another compression, at its default level. */
  public IpcWriteOptions withCompression(IpcCompression codec) {
    return withCompression(codec, 0);
  }

  /**
   * Returns these options with another compression.
   *
   * @param level the level of {@link IpcCompression#ZSTD}, 1 to 22; 0 for its default, which is 3
   * @throws IllegalArgumentException if the codec has no levels, or not this one
   */
  public IpcWriteOptions withCompression(IpcCompression codec, int level) {
    Objects.requireNonNull(codec, "codec");
    if (level != 0 && codec != IpcCompression.ZSTD) {
      throw new IllegalArgumentException("only ZSTD has levels, and " + codec + " got level " + level);
    }
    if (level < 0 || level > 22) throw new IllegalArgumentException("ZSTD has levels from 1 to 22, not " + level);
    return new IpcWriteOptions(codec, level, alignment, maxBatchRows, metadata, dictionaryMetadata,
        hasDictionaryDeltas, isSynced);
  }

  /**
   * Returns these options with another alignment of buffers in the file or stream.
   *
   * @throws IllegalArgumentException if the number is neither 8 nor 64
   */
  public IpcWriteOptions withAlignment(int bytes) {
    if (bytes != 8 && bytes != 64) throw new IllegalArgumentException("the alignment is 8 or 64 bytes, not " + bytes);
    return new IpcWriteOptions(compression, compressionLevel, bytes, maxBatchRows, metadata, dictionaryMetadata,
        hasDictionaryDeltas, isSynced);
  }

  /**
   * Returns these options with a maximum number of rows of a written batch. A larger batch is written as several, each
   * with the metadata of its message.
   *
   * @throws IllegalArgumentException if the number is less than 1
   */
  public IpcWriteOptions withMaxBatchRows(long rows) {
    if (rows < 1) throw new IllegalArgumentException("a batch has at least 1 row, not " + rows);
    return new IpcWriteOptions(compression, compressionLevel, alignment, rows, metadata, dictionaryMetadata,
        hasDictionaryDeltas, isSynced);
  }

  /** Returns these options with custom metadata of a file's footer. A stream has no footer, and ignores it. */
  public IpcWriteOptions withMetadata(Metadata footer) {
    return new IpcWriteOptions(compression, compressionLevel, alignment, maxBatchRows,
        Objects.requireNonNull(footer, "footer"), dictionaryMetadata, hasDictionaryDeltas, isSynced);
  }

  /**
   * Returns these options with another way to write a dictionary to which values were added. By default, a stream
   * receives the whole dictionary again, which every reader understands. With deltas, it receives only the added
   * values. A file has deltas in any case, since it cannot replace a dictionary.
   */
  public IpcWriteOptions withDictionaryDeltas(boolean isEnabled) {
    return new IpcWriteOptions(compression, compressionLevel, alignment, maxBatchRows, metadata, dictionaryMetadata,
        isEnabled, isSynced);
  }

  /**
   * Returns these options with custom metadata of each message with values of a dictionary.
   *
   * @param id the dictionary's number. A writer counts the dictionaries of its schema from 0, in the order of the
   *     fields: that of a field comes before those of its values
   */
  public IpcWriteOptions withDictionaryMetadata(long id, Metadata values) {
    Map<Long, Metadata> all = new HashMap<>(dictionaryMetadata);
    all.put(id, Objects.requireNonNull(values, "values"));
    return new IpcWriteOptions(compression, compressionLevel, alignment, maxBatchRows, metadata, Map.copyOf(all),
        hasDictionaryDeltas, isSynced);
  }

  /**
   * Returns these options with another end of {@link ArrowWriter#finish}: with {@code true} it waits until the disk has
   * all bytes, and the new name of a file at a path. A loss of power then leaves the whole file. Only files can be
   * synced: writing to another channel or stream of bytes is rejected.
   */
  public IpcWriteOptions withSync(boolean isEnabled) {
    return new IpcWriteOptions(compression, compressionLevel, alignment, maxBatchRows, metadata, dictionaryMetadata,
        hasDictionaryDeltas, isEnabled);
  }

  /** Returns the compression of buffers. */
  public IpcCompression compression() {
    return compression;
  }

  /** Returns the level of the compression; 0 for the codec's default. */
  public int compressionLevel() {
    return compressionLevel;
  }

  /** Returns the alignment of buffers in bytes. */
  public int alignment() {
    return alignment;
  }

  /** Returns the maximum number of rows of a written batch. */
  public long maxBatchRows() {
    return maxBatchRows;
  }

  /** Returns the custom metadata of a file's footer. */
  public Metadata metadata() {
    return metadata;
  }

  /** Returns whether a stream receives only the added values of a dictionary. */
  public boolean hasDictionaryDeltas() {
    return hasDictionaryDeltas;
  }

  /** Returns the custom metadata of the messages of dictionaries, by their numbers. */
  public Map<Long, Metadata> dictionaryMetadata() {
    return dictionaryMetadata;
  }

  /** Returns whether {@link ArrowWriter#finish} waits until the disk has the bytes. */
  public boolean isSynced() {
    return isSynced;
  }

  /** Returns whether the other object has the same values. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof IpcWriteOptions that && compression == that.compression
        && compressionLevel == that.compressionLevel && alignment == that.alignment && maxBatchRows == that.maxBatchRows
        && Objects.equals(metadata, that.metadata) && dictionaryMetadata.equals(that.dictionaryMetadata)
        && hasDictionaryDeltas == that.hasDictionaryDeltas && isSynced == that.isSynced;
  }

  @Override
  public int hashCode() {
    return Objects.hash(compression, compressionLevel, alignment, maxBatchRows, metadata, dictionaryMetadata,
        hasDictionaryDeltas, isSynced);
  }

  @Override
  public String toString() {
    return "IpcWriteOptions[compression=" + compression
        + ", compressionLevel=" + compressionLevel + ", alignment=" + alignment + ", maxBatchRows=" + maxBatchRows
        + ", metadata=" + metadata + ", dictionaryMetadata=" + dictionaryMetadata
        + ", hasDictionaryDeltas=" + hasDictionaryDeltas + ", isSynced=" + isSynced + "]";
  }
}
