// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;

/** A channel of a stream of bytes. It reads no byte before the reader needs it. */
final class InputStreamChannel implements ReadableByteChannel {
  private static final int MOST = 1 << 18;

  private final InputStream input;
  private byte[] bytes = new byte[1 << 13];
  private volatile boolean isOpen = true;

  private InputStreamChannel(InputStream input) {
    this.input = input;
  }

  /** Returns a channel of the bytes, which closes the input. */
  static ReadableByteChannel of(InputStream input) {
    // not of a subclass, which may change the bytes
    if (input.getClass() == FileInputStream.class) return ((FileInputStream) input).getChannel();
    return new InputStreamChannel(input);
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    if (target.hasArray()) {
      int read = input.read(target.array(), target.arrayOffset() + target.position(), target.remaining());
      if (read > 0) target.position(target.position() + read);
      return read;
    }
    int most = Math.min(target.remaining(), MOST);
    if (bytes.length < most) bytes = Arrays.copyOf(bytes, most);
    int read = input.read(bytes, 0, most);
    if (read > 0) target.put(bytes, 0, read);
    return read;
  }

  @Override
  public boolean isOpen() {
    return isOpen;
  }

  @Override
  public void close() throws IOException {
    isOpen = false;
    input.close();
  }
}
