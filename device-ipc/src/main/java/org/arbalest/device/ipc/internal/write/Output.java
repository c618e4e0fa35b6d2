// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.arbalest.device.DeviceException;
import org.arbalest.device.ipc.internal.memory.Blocking;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.jspecify.annotations.Nullable;

/** Bytes to a channel. Memory is written without a copy, and gathered into few calls. */
final class Output implements Closeable {
  /** The most bytes of one entry of the queue. */
  private static final long MOST = 1 << 29;

  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(NativeMemory.ALIGNMENT).asReadOnlyBuffer();

  private final WritableByteChannel channel;

  private final boolean isOwn;

  /** The path of the file to make, for errors. */
  private final @Nullable Path path;

  /** Whether the channel is the JDK's, which reads nothing outside of a buffer's limits. */
  private final boolean isOfJdk;

  private ByteBuffer[] queued = new ByteBuffer[64];
  private int count;
  private long position;

  /** Views of memory, which each message uses again at other places, and the address where each begins. */
  private ByteBuffer[] views = new ByteBuffer[64];

  private long[] bases = new long[64];
  private int usedViews;

  /** Views of zeros, in the same way. */
  private final List<ByteBuffer> paddings = new ArrayList<>();

  private int usedPaddings;

  /** @param isOwn whether closing the output closes the channel */
  Output(WritableByteChannel channel, @Nullable Path path, boolean isOwn) {
    Blocking.require(channel);
    this.channel = channel;
    this.path = path;
    this.isOwn = isOwn;
    isOfJdk = channel.getClass().getModule() == Object.class.getModule();
  }

  /** Returns the number of bytes that were added. */
  long position() {
    return position;
  }

  /** Adds bytes. The buffer must stay unchanged until {@link #flush}. */
  void add(ByteBuffer bytes) {
    if (!bytes.hasRemaining()) return;
    if (count == queued.length) queued = Arrays.copyOf(queued, 2 * count);
    queued[count++] = bytes;
    position += bytes.remaining();
  }

  /** Adds memory, which must stay unchanged until {@link #flush}. */
  void add(long address, long bytes) {
    for (long at = 0; at < bytes; at += MOST) add(view(address + at, (int) Math.min(MOST, bytes - at)));
  }

  private ByteBuffer view(long address, int bytes) {
    if (usedViews == views.length) {
      views = Arrays.copyOf(views, 2 * usedViews);
      bases = Arrays.copyOf(bases, 2 * usedViews);
    }
    long base = address & -MOST;
    int i = usedViews++;
    if (views[i] == null || bases[i] != base) {
      // of all memory nearby, so that it also has that of the next messages; only the given range is ever read
      views[i] = NativeMemory.segment(base, 2 * MOST).asByteBuffer();
      bases[i] = base;
    }
    int start = (int) (address - base);
    ByteBuffer view = views[i];
    return isOfJdk ? view.clear().position(start).limit(start + bytes) : view.slice(start, bytes).asReadOnlyBuffer();
  }

  /** Adds zeros up to a position. At most 64 are missing. */
  void pad(long until) {
    int missing = (int) (until - position);
    if (missing == 0) return;
    if (!isOfJdk) {
      add(ZEROS.slice(0, missing));
      return;
    }
    if (usedPaddings == paddings.size()) paddings.add(ZEROS.duplicate());
    add(paddings.get(usedPaddings++).clear().limit(missing));
  }

  /** Writes the added bytes. */
  void flush() throws IOException {
    try {
      for (int first = 0; first < count;) {
        if (channel instanceof GatheringByteChannel gathering) {
          gathering.write(queued, first, count - first);
        } else {
          channel.write(queued[first]);
        }
        while (first < count && !queued[first].hasRemaining()) first++;
      }
    } catch (IOException e) {
      // other classes have the name, or a meaning of their own
      if (path == null || e.getClass() != IOException.class) throw e;
      throw new IOException("cannot write " + path + ": " + e.getMessage(), e);
    } finally {
      Arrays.fill(queued, 0, count, null);
      count = 0;
      usedViews = 0;
      usedPaddings = 0;
    }
  }

  /** Returns an error of a batch, with the name of the output unless its class has a meaning of its own. */
  DeviceException named(DeviceException e) {
    if (path == null || e.getClass() != DeviceException.class) return e;
    return new DeviceException(e.errno(), "cannot write " + path + ": " + e.getMessage(), e, e.metadata());
  }

  /**
   * Writes the added bytes, and flushes a stream of bytes.
   *
   * @param isSynced whether to wait until the disk has the bytes
   */
  void finish(boolean isSynced) throws IOException {
    flush();
    if (channel instanceof OutputStreamChannel stream) stream.flush();
    if (isSynced && channel instanceof FileChannel file) file.force(true);
  }

  /** Returns whether the bytes go to a file, which can be synced. */
  boolean isFile() {
    return channel instanceof FileChannel;
  }

  @Override
  public void close() throws IOException {
    if (isOwn) channel.close();
  }
}
