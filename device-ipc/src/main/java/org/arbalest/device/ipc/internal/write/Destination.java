// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** A file that appears at its path only when it is complete. Until then it is a temporary file in the same folder. */
final class Destination {
  private final Path path;
  private final Path temporary;
  private boolean isMoved;

  private Destination(Path path, Path temporary) {
    this.path = path;
    this.temporary = temporary;
  }

  /** @throws IOException if the path exists and is not a regular file */
  static Destination of(Path path) throws IOException {
    // the file that a link refers to is replaced, not the link
    Path whole = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
    if (Files.exists(whole) && !Files.isRegularFile(whole)) {
      throw new IOException(whole + " is not a regular file, so it cannot be replaced; open a channel and write to it");
    }
    return new Destination(whole, whole.resolveSibling("." + whole.getFileName() + "." + UUID.randomUUID() + ".tmp"));
  }

  FileChannel open() throws IOException {
    return FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /** Moves the temporary file to the path. Its channel is closed. */
  void complete() throws IOException {
    try {
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException _) {
      Files.move(temporary, path, StandardCopyOption.REPLACE_EXISTING);
    }
    isMoved = true;
  }

  /** Deletes the temporary file, unless it was moved. */
  void abandon() throws IOException {
    if (!isMoved) Files.deleteIfExists(temporary);
  }
}
