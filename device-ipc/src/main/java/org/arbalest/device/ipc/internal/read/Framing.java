// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import org.arbalest.device.ipc.IpcException;

/** The numbers in front of a message. */
final class Framing {
  /** The first number of a message, since version 0.15. Before, the size came first. */
  static final int CONTINUATION = -1;

  /** The first bytes of a file, and its last ones. */
  static final byte[] MAGIC = {'A', 'R', 'R', 'O', 'W', '1'};

  /** The first four bytes of a file, read as a number. */
  private static final int MAGIC_NUMBER = 'A' | 'R' << 8 | 'R' << 16 | 'O' << 24;

  /** Enough for the schema of a million columns, or the footer of ten million batches. */
  private static final int MOST_METADATA = 1 << 28;

  /** The share of the limit for metadata, whose objects in the heap are larger than its bytes. */
  private static final int HEAP_SHARE = 8;

  private Framing() {}

  /**
   * Returns the most bytes of a message's metadata, or of a footer, which is read into the heap.
   *
   * @param maxAllocation the most bytes that the application allows
   */
  static int mostMetadata(long maxAllocation) {
    return (int) Math.min(Math.min(maxAllocation, MOST_METADATA), Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  /** Throws if metadata has more bytes than {@link #mostMetadata}. */
  static void checkLimit(long size, long position, int most) {
    if (size > most) throw new IpcException(position, "the metadata has " + size + " bytes, but at most " + most
        + " may be allocated: the least of maxAllocation, " + MOST_METADATA + ", and 1/" + HEAP_SHARE + " of the heap");
  }

  /**
   * Throws unless a number can be the size of a message's metadata.
   *
   * @param position the position of the number
   * @param available the most bytes that can follow
   */
  static int checkSize(int size, long position, long available) {
    if (size == MAGIC_NUMBER) {
      throw new IpcException(position, "this is an Arrow file, not a stream; open it with ArrowFile");
    }
    if (size < 0 || size > available) {
      throw new IpcException(position, "the metadata of a message has " + size + " bytes, but at most " + available
          + " can follow");
    }
    return size;
  }

  /** Returns the error of a stream that ends between two messages, although it must have a mark. */
  static IpcException withoutMark(long position) {
    return new IpcException(position, "the stream ends without an end mark, which is required here"
        + " (withEndMarkRequired): its sender may have failed");
  }
}
