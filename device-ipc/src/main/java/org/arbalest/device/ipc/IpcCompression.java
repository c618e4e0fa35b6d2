// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc;

/**
 * The compression of a batch's buffers. Each buffer is compressed by itself. Zstandard, and writing LZ4, need the
 * library {@code io.airlift:aircompressor-v3}; without it, they throw an {@link IllegalStateException} that names it.
 */
public enum IpcCompression {
  /** No compression. Only such files are read without a copy. */
  NONE,
  /** LZ4 frames: fast, for data that is read soon. */
  LZ4_FRAME,
  /** Zstandard: smaller, for data that is kept. */
  ZSTD
}
