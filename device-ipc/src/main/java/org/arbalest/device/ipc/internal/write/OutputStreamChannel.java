// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** A channel to a stream of bytes. */
final class OutputStreamChannel implements WritableByteChannel {
  private static final int MOST = 1 << 18;

  private final OutputStream output;
  private byte[] bytes = {};
  private volatile boolean isOpen = true;

  private OutputStreamChannel(OutputStream output) {
    this.output = output;
  }

  /** Returns a channel to the output, which closes it. */
  static WritableByteChannel of(OutputStream output) {
    // not of a subclass, which may change the bytes
    if (output.getClass() == FileOutputStream.class) return ((FileOutputStream) output).getChannel();
    return new OutputStreamChannel(output);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    int size = Math.min(source.remaining(), MOST);
    if (source.hasArray()) {
      output.write(source.array(), source.arrayOffset() + source.position(), size);
      source.position(source.position() + size);
      return size;
    }
    if (bytes.length < size) bytes = new byte[size];
    source.get(bytes, 0, size);
    output.write(bytes, 0, size);
    return size;
  }

  void flush() throws IOException {
    output.flush();
  }

  @Override
  public boolean isOpen() {
    return isOpen;
  }

  @Override
  public void close() throws IOException {
    isOpen = false;
    output.close();
  }
}
