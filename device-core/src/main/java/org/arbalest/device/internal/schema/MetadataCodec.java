// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import static org.arbalest.device.internal.memory.NativeHeap.getBytes;
import static org.arbalest.device.internal.memory.NativeHeap.getInt;
import static org.arbalest.device.internal.memory.NativeHeap.putBytes;
import static org.arbalest.device.internal.memory.NativeHeap.putInt;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DeviceException;
import org.arbalest.device.types.Metadata;

/**
 * The encoding of metadata in the C data interface: an int32 count of pairs, then the key and the value of each pair.
 * Key and value are an int32 length and the bytes. Integers have native byte order and no alignment; bytes have no
 * terminating NUL (SCH-04).
 */
public final class MetadataCodec {
  /**
   * More than any real schema has. A garbage count fails here, before reading beyond the memory kills the process
   * (SCH-05).
   */
  private static final int MOST_PAIRS = 1 << 16;

  private static final long MOST_BYTES = 1L << 30;

  private MetadataCodec() {}

  /** Decodes the block at an address; NULL means no metadata. */
  public static Metadata read(long address) {
    if (address == 0) return Metadata.empty();
    int count = getInt(address);
    if (count < 0 || count > MOST_PAIRS) {
      throw DeviceException.invalid("metadata says it has " + count + " pairs; 0 to " + MOST_PAIRS + " are legal");
    }
    List<Metadata.Entry> entries = new ArrayList<>(count);
    long at = address + 4;
    for (int i = 0; i < count; i++) {
      byte[] key = bytes(address, at, "key", i);
      at += 4 + key.length;
      byte[] value = bytes(address, at, "value", i);
      at += 4 + value.length;
      entries.add(new Metadata.Entry(key, value));
    }
    return Metadata.of(entries);
  }

  private static byte[] bytes(long start, long at, String what, int pair) {
    int length = getInt(at);
    if (length < 0 || at - start + length > MOST_BYTES) {
      throw DeviceException.invalid(
          "metadata: the " + what + " of pair " + pair + " says it has " + length
              + " bytes; all of a block has at most " + MOST_BYTES);
    }
    return getBytes(at + 4, length);
  }

  /** Returns the size of the encoded block in bytes; 0 for empty metadata, which is exported as NULL (SCH-03). */
  public static long size(Metadata metadata) {
    if (metadata.isEmpty()) return 0;
    long size = 4;
    for (Metadata.Entry entry : metadata.entries()) {
      size += 8L + entry.keyBytes().length + entry.valueBytes().length;
    }
    return size;
  }

  /** Returns the encoded block; for empty metadata it has no pairs. */
  static byte[] encode(Metadata metadata) {
    ByteBuffer block =
        ByteBuffer.allocate(Math.toIntExact(Math.max(Integer.BYTES, size(metadata)))).order(ByteOrder.nativeOrder());
    block.putInt(metadata.entries().size());
    for (Metadata.Entry entry : metadata.entries()) {
      byte[] key = entry.keyBytes();
      byte[] value = entry.valueBytes();
      block.putInt(key.length).put(key).putInt(value.length).put(value);
    }
    return block.array();
  }

  /** Writes the block, and returns the address after it. */
  public static long write(Metadata metadata, long address) {
    putInt(address, metadata.entries().size());
    long at = address + 4;
    for (Metadata.Entry entry : metadata.entries()) {
      at = write(entry.keyBytes(), at);
      at = write(entry.valueBytes(), at);
    }
    return at;
  }

  private static long write(byte[] bytes, long at) {
    putInt(at, bytes.length);
    putBytes(at + 4, bytes);
    return at + 4 + bytes.length;
  }
}
