// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceType;
import org.arbalest.device.RecordBatch;
import org.jspecify.annotations.Nullable;

/** The batches of a file, in order. */
final class FileSource implements DeviceArrayReader.Source<RecordBatch> {
  private final FileContent content;
  private final BatchDecoder decoder;
  private Projection projection;
  private int next;

  /** Takes over one use of the content. */
  FileSource(FileContent content, Projection projection) {
    this.content = content;
    this.projection = projection;
    decoder = new BatchDecoder(content.options);
  }

  DeviceType deviceType() {
    return decoder.memory().device().type();
  }

  @Override
  public @Nullable RecordBatch next() throws IOException {
    return next == content.footer.batchCount() ? null : content.batch(next++, projection, decoder);
  }

  @Override
  public boolean select(int... columns) {
    projection = projection.select(columns);
    return true;
  }

  @Override
  public void close() {
    content.release();
  }
}
