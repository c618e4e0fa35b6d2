package org.arbalest.device.internal.build;

import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/** A validity bitmap that comes into being with the first null. */
final class ValidityBuilder {
  private final BuildMemory memory;
  private @Nullable GrowableBuffer bitmap;
  private long length;
  private long nulls;

  ValidityBuilder(BuildMemory memory) {
    this.memory = memory;
  }

  long length() {
    return length;
  }

  long nullCount() {
    return nulls;
  }

  void appendValid(long count) {
    length += count;
    if (bitmap != null) setValid(bitmap, length - count, count);
  }

  void appendNull() {
    length++;
    nulls++;
    ensureBits(bitmap());
  }

  /** Makes an element null. */
  void setNull(long index) {
    GrowableBuffer bits = bitmap();
    if (!Bitmaps.get(bits.address(), index)) return;
    long at = bits.address() + (index >>> 3);
    NativeHeap.putByte(at, (byte) (NativeHeap.getByte(at) & ~(1 << (index & 7))));
    nulls++;
  }

  private GrowableBuffer bitmap() {
    GrowableBuffer bits = bitmap;
    if (bits == null) {
      bitmap = bits = new GrowableBuffer(memory, (length + 7) >>> 3);
      setValid(bits, 0, length - nulls);
    }
    return bits;
  }

  private void setValid(GrowableBuffer bits, long from, long count) {
    ensureBits(bits);
    Bitmaps.setAll(bits.address(), from, count);
  }

  private void ensureBits(GrowableBuffer bits) {
    long missing = ((length + 7) >>> 3) - bits.size();
    if (missing > 0) bits.extendWithZeroes(missing);
  }

  /** The bitmap, or null if there are no nulls. */
  @Nullable DeviceBuffer take() {
    return bitmap == null ? null : bitmap.take();
  }
}
