// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.ipc.internal.memory.GuardedCopy;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.jspecify.annotations.Nullable;

/**
 * Zstandard frames that declare the size of their content. More than 16 MiB become several frames, because
 * aircompressor's calls return an {@code int} and delay safepoints: a garbage collection waits for them.
 */
final class ZstdCodec implements Codec {
  private static final long FRAME = 16L << 20;

  private final ZstdLibrary library;

  ZstdCodec(int level) {
    this(Aircompressor.load("use Zstandard", () -> new ZstdLibrary(level)));
  }

  ZstdCodec(ZstdLibrary library) {
    this.library = library;
  }

  @Override
  public long maxCompressedSize(long size) {
    long whole = size / FRAME;
    long rest = size % FRAME;
    return whole * bound(FRAME) + (rest > 0 || whole == 0 ? bound(rest) : 0);
  }

  /** Returns the most bytes that one frame has: libzstd's bound. */
  private static long bound(long size) {
    long small = 128L << 10;
    return size + (size >>> 8) + (size < small ? (small - size) >>> 11 : 0);
  }

  @Override
  public long compress(MemorySegment source, MemorySegment target) {
    long size = source.byteSize();
    Segments.check(source, target, maxCompressedSize(size));
    long in = 0;
    long out = 0;
    do {
      long length = Math.min(FRAME, size - in);
      out += library.compress(source.asSlice(in, length), target.asSlice(out, bound(length)));
      in += length;
    } while (in < size);
    return out;
  }

  @Override
  public void decompress(MemorySegment source, MemorySegment target, @Nullable MemoryManager copies) {
    Segments.check(source, target, 0);
    long in = 0;
    long out = 0;
    boolean frames = false;
    while (in < source.byteSize()) {
      ZstdFrame frame = ZstdFrame.read(source, in);
      if (!frame.skippable()) {
        out += decompress(source, in, frame, target, out, copies);
        frames = true;
      }
      in = frame.end();
    }
    if (!frames) throw new MalformedCompression(in, "the source of " + in + " bytes has no Zstandard frame");
    if (out != target.byteSize()) {
      throw new MalformedCompression(
          in, "the frames have " + out + " bytes, but " + target.byteSize() + " are expected");
    }
  }

  private long decompress(MemorySegment source, long in, ZstdFrame frame, MemorySegment target, long out,
      @Nullable MemoryManager copies) {
    long room = target.byteSize() - out;
    long declared = frame.declared();
    if (declared > room || declared > frame.most()) {
      throw new MalformedCompression(in, "the frame declares " + declared + " bytes, but its blocks have at most "
          + frame.most() + ", and there is room for " + room);
    }
    long most = declared < 0 ? Math.min(room, frame.most()) : declared;
    if (most == 0 && frame.most() > 0) {
      throw new MalformedCompression(in, "the frame's blocks have content, but there is room for 0 bytes");
    }
    if (most > (declared < 0 ? Integer.MAX_VALUE : library.largest())) {
      throw new MalformedCompression(in, "the Zstandard frame has up to " + most + " bytes. A frame of more than 2 GiB "
          + "must declare its size, and needs the native library of aircompressor");
    }
    MemorySegment whole = source.asSlice(in, frame.end() - in);
    long written = decompress(in, whole, target.asSlice(out, most), copies);
    if (declared >= 0 && written != declared) {
      throw new MalformedCompression(in, "the frame declares " + declared + " bytes, but has " + written);
    }
    return written;
  }

  private long decompress(long in, MemorySegment frame, MemorySegment target, @Nullable MemoryManager copies) {
    if (copies == null) return library.decompress(in, frame, target);
    // a frame at a time, so that a buffer of many needs no second copy of all
    try (DeviceBuffer copy = GuardedCopy.of(frame, copies)) {
      return library.decompress(in, NativeMemory.segment(copy.address(), frame.byteSize()), target);
    }
  }
}
