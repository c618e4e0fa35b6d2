// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A file that appears at its path only when it is complete. Until then it is a temporary file in the same folder. */
final class Destination {
  /** The most characters of the name in that of the temporary file, which most file systems limit to 255 bytes. */
  private static final int MOST_NAME = 40;

  private static final int MOST_LINKS = 40;

  private final Path path;
  private final Path temporary;
  private boolean isMoved;

  private Destination(Path path, Path temporary) {
    this.path = path;
    this.temporary = temporary;
  }

  /** @throws IOException if the path exists and is not a regular file */
  static Destination of(Path path) throws IOException {
    Path whole = target(path);
    if (Files.exists(whole) && !Files.isRegularFile(whole)) {
      throw new IOException(whole + " is not a regular file, so it cannot be replaced; open a channel and write to it");
    }
    String name = String.valueOf(whole.getFileName());
    int most = name.offsetByCodePoints(0, Math.min(MOST_NAME, name.codePointCount(0, name.length())));
    String temporary = "." + name.substring(0, most) + "." + UUID.randomUUID() + ".tmp";
    return new Destination(whole, whole.resolveSibling(temporary));
  }

  /** Returns the file that links at a path lead to, also if it does not exist: it is made or replaced, not the link. */
  private static Path target(Path path) throws IOException {
    Path at = path.toAbsolutePath();
    for (int links = 0; Files.isSymbolicLink(at); links++) {
      if (links == MOST_LINKS) throw new FileSystemLoopException(path.toString());
      at = at.resolveSibling(Files.readSymbolicLink(at));
    }
    return at;
  }

  /** Creates the temporary file, with the owner, the group and the permissions of the file to replace. */
  FileChannel open() throws IOException {
    PosixFileAttributes older = attributes(path);
    FileAttribute<?>[] mode = older == null ? new FileAttribute<?>[0]
        : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(older.permissions())};
    FileChannel channel =
        FileChannel.open(temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode);
    try {
      if (older != null) keep(older);
      return channel;
    } catch (Throwable t) {
      try (channel) {
        abandon();
      }
      throw t;
    }
  }

  /** Returns the attributes of a file; null if there is none, or the file system has no such attributes. */
  private static @Nullable PosixFileAttributes attributes(Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    return view == null || !Files.exists(file) ? null : view.readAttributes();
  }

  private void keep(PosixFileAttributes older) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(temporary, PosixFileAttributeView.class);
    try {
      PosixFileAttributes made = view.readAttributes();
      if (!made.owner().equals(older.owner())) view.setOwner(older.owner());
      if (!made.group().equals(older.group())) view.setGroup(older.group());
      view.setPermissions(older.permissions()); // the process may mask some
    } catch (IOException e) {
      String permissions = PosixFilePermissions.toString(older.permissions());
      throw new IOException("cannot replace " + path + ": the new file would not have its owner " + older.owner()
          + ", its group " + older.group() + " and its permissions " + permissions
          + "; delete it first, or open a channel and write to it", e);
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }

  /**
   * Moves the temporary file to the path. Its channel is closed.
   *
   * @param isSynced whether to wait until the disk has the new name
   */
  void complete(boolean isSynced) throws IOException {
    try {
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException _) {
      Files.move(temporary, path, StandardCopyOption.REPLACE_EXISTING);
    }
    isMoved = true;
    // Windows cannot open a folder, and writes its changes to the disk by itself
    if (isSynced && !System.getProperty("os.name").startsWith("Windows")) {
      try (FileChannel folder = FileChannel.open(path.resolveSibling(""), StandardOpenOption.READ)) {
        folder.force(true);
      }
    }
  }

  /** Deletes the temporary file, unless it was moved. */
  void abandon() throws IOException {
    if (!isMoved) Files.deleteIfExists(temporary);
  }
}
