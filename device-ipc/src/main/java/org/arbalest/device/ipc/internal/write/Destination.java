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
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A file that appears at its path only when it is complete. Until then it is a temporary file in the same folder. */
final class Destination {
  /** The most characters of the name in that of the temporary file, which most file systems limit to 255 bytes. */
  private static final int MOST_NAME = 40;

  private static final int MOST_LINKS = 40;

  private static final List<PosixFilePermission> OF_OWNER = List.of(PosixFilePermission.OWNER_READ,
      PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);
  private static final List<PosixFilePermission> OF_GROUP = List.of(PosixFilePermission.GROUP_READ,
      PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE);
  private static final List<PosixFilePermission> OF_OTHERS = List.of(PosixFilePermission.OTHERS_READ,
      PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_EXECUTE);

  private final Path path;
  private final Path temporary;
  private boolean isMoved;

  private Destination(Path path, Path temporary) {
    this.path = path;
    this.temporary = temporary;
  }

  /** @throws IOException if the path exists and is not a regular file */
  static Destination of(Path path) throws IOException {
    boolean exists = Files.exists(path);
    // before links are resolved, since those to pipes, as /dev/stdout is one, lead to no path
    if (exists && !Files.isRegularFile(path)) {
      throw new IOException(path + " is not a regular file, so it cannot be replaced; open a channel and write to it");
    }
    Path whole = exists ? path.toRealPath() : target(path);
    String name = String.valueOf(whole.getFileName());
    int most = name.offsetByCodePoints(0, Math.min(MOST_NAME, name.codePointCount(0, name.length())));
    String temporary = "." + name.substring(0, most) + "." + UUID.randomUUID() + ".tmp";
    return new Destination(whole, whole.resolveSibling(temporary));
  }

  /** Returns the file to make where a path, or links at the path, lead to no file. */
  private static Path target(Path path) throws IOException {
    Path at = path.toAbsolutePath();
    for (int links = 0; Files.isSymbolicLink(at); links++) {
      if (links == MOST_LINKS) throw new FileSystemLoopException(path.toString());
      at = at.resolveSibling(Files.readSymbolicLink(at));
    }
    return at;
  }

  /** Creates the temporary file, with the permissions of the file to replace, and its owner and group if possible. */
  FileChannel open() throws IOException {
    PosixFileAttributes older = attributes(path);
    FileAttribute<?>[] mode = older == null ? new FileAttribute<?>[0]
        : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(inOtherGroup(older.permissions()))};
    FileChannel channel =
        FileChannel.open(temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode);
    try {
      if (older != null) keep(older, Files.getFileAttributeView(temporary, PosixFileAttributeView.class));
      return channel;
    } catch (Throwable t) {
      try (channel) {
        abandon();
      }
      throw t;
    }
  }

  /** Returns the attributes of a file; null without a file, or if the file system has no such attributes. */
  private static @Nullable PosixFileAttributes attributes(Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    return view == null || !Files.exists(file) ? null : view.readAttributes();
  }

  /**
   * Gives a new file the permissions of an older one, and its group and its owner if the process may: a user of a
   * shared folder replaces the files of others, but cannot give files away.
   *
   * @throws IOException if the permissions cannot be set
   */
  static void keep(PosixFileAttributes older, PosixFileAttributeView made) throws IOException {
    PosixFileAttributes now = made.readAttributes();
    boolean isInGroup = now.group().equals(older.group()) || canDo(() -> made.setGroup(older.group()));
    Set<PosixFilePermission> permissions = isInGroup ? older.permissions() : inOtherGroup(older.permissions());
    // the process may mask some; before the owner changes, since only the owner may do this
    if (!now.permissions().equals(permissions)) made.setPermissions(permissions);
    boolean _ = now.owner().equals(older.owner()) || canDo(() -> made.setOwner(older.owner()));
  }

  private interface Change {
    void run() throws IOException;
  }

  private static boolean canDo(Change change) {
    try {
      change.run();
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  /** Returns permissions by which no user gains access if the group is another one: those of both group and others. */
  private static Set<PosixFilePermission> inOtherGroup(Set<PosixFilePermission> permissions) {
    Set<PosixFilePermission> narrow = EnumSet.copyOf(OF_OWNER);
    narrow.retainAll(permissions);
    for (int i = 0; i < OF_GROUP.size(); i++) {
      if (permissions.contains(OF_GROUP.get(i)) && permissions.contains(OF_OTHERS.get(i))) {
        narrow.add(OF_GROUP.get(i));
        narrow.add(OF_OTHERS.get(i));
      }
    }
    return narrow;
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
