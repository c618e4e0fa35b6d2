// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.arbalest.device.DeviceException;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.internal.memory.MappedFault;
import org.jspecify.annotations.Nullable;

/**
 * The name of an input, for its errors and for reports of leaks.
 *
 * @param path the path of a file; null for other input
 */
record InputName(@Nullable Path path) {
  static final InputName NONE = new InputName(null);

  /** Returns an error of the input with its name, unless its class has a meaning of its own. */
  DeviceException named(DeviceException e) {
    if (path == null) return e;
    if (e instanceof IpcException malformed) return malformed.file() == null ? malformed.in(path) : e;
    if (e.getClass() != DeviceException.class) return e;
    return new DeviceException(e.errno(), "cannot read " + path + ": " + e.getMessage(), e, e.metadata());
  }

  /** Returns the exception for an error of a mapped input that became shorter, with its name. */
  DeviceException named(InternalError e) {
    return named(MappedFault.of(e));
  }

  /** Returns an error of reading the input with its name, unless its class has the name or a meaning of its own. */
  IOException named(IOException e) {
    if (path == null || (e.getClass() != IOException.class && e.getClass() != EOFException.class)) return e;
    String message = "cannot read " + path + ": " + e.getMessage();
    if (e.getClass() == IOException.class) return new IOException(message, e);
    EOFException ended = new EOFException(message);
    ended.initCause(e);
    return ended;
  }

  /** Returns an error of the application's choice of columns with the name of the input. */
  IllegalArgumentException named(IllegalArgumentException e) {
    return path == null ? e : new IllegalArgumentException(path + ": " + e.getMessage(), e);
  }

  /** Returns the kind with the name of the input. */
  String of(String kind) {
    return path == null ? kind : kind + " " + path;
  }

  /** Returns whether a path is a pipe or a device, which is read from its start to its end only. */
  static boolean isPipe(Path path) {
    return !Files.isRegularFile(path) && Files.exists(path) && !Files.isDirectory(path);
  }
}
