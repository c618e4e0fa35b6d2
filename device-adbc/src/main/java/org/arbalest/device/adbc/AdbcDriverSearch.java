// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where {@link AdbcDriver#load(String, AdbcDriverSearch)} looks for drivers that are installed, in this order.
 * Immutable. Made by {@link #everywhere} and {@link #nowhere}: the constructor may get other parameters.
 *
 * @param inEnvironment whether in the folders of the environment variable {@code ADBC_DRIVER_PATH}
 * @param folders and in these
 * @param inUserFolder whether in the user's: {@code $XDG_CONFIG_HOME/adbc/drivers} or {@code ~/.config/adbc/drivers},
 *     on macOS {@code ~/Library/Application Support/ADBC/Drivers}, on Windows {@code %LOCALAPPDATA%\ADBC\Drivers}
 * @param inSystemFolder whether in the system's: {@code /etc/adbc/drivers}, on macOS
 *     {@code /Library/Application Support/ADBC/Drivers}; Windows has none, and its registry is not read
 * @param mayBeRelative whether a path that is given, {@code drivers/x}, may be relative to the working directory; one
 *     in a manifest never is
 * @param entryPoint what the init function is called, whatever a manifest says; null for what that says, or
 *     {@code adbc.h} recommends
 */
public record AdbcDriverSearch(
    boolean inEnvironment, List<Path> folders, boolean inUserFolder, boolean inSystemFolder, boolean mayBeRelative,
    @Nullable String entryPoint) {
  /** Where to look. */
  public AdbcDriverSearch {
    folders = List.copyOf(folders);
  }

  /** Everywhere that drivers are installed. */
  public static AdbcDriverSearch everywhere() {
    return new AdbcDriverSearch(true, List.of(), true, true, true, null);
  }

  /** In no folder but those that are named. */
  public static AdbcDriverSearch nowhere() {
    return new AdbcDriverSearch(false, List.of(), false, false, false, null);
  }

  /** Also in a folder, behind those that were named before. */
  public AdbcDriverSearch in(Path folder) {
    List<Path> all = new ArrayList<>(folders);
    all.add(Objects.requireNonNull(folder, "folder"));
    return new AdbcDriverSearch(inEnvironment, all, inUserFolder, inSystemFolder, mayBeRelative, entryPoint);
  }

  /** For an init function of this name. */
  public AdbcDriverSearch by(String name) {
    return new AdbcDriverSearch(inEnvironment, folders, inUserFolder, inSystemFolder, mayBeRelative,
        Objects.requireNonNull(name, "name"));
  }
}
