// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The places where {@link AdbcDriver#load(String, AdbcDriverSearch)} searches for installed drivers, in this order.
 * Immutable. Use {@link #everywhere} and {@link #nowhere} to create one: the constructor's parameters may change.
 *
 * @param inEnvironment whether to search the folders of the environment variable {@code ADBC_DRIVER_PATH} and, after
 *     the additional folders, {@code etc/adbc/drivers} in the active Python environment ({@code VIRTUAL_ENV}) and in
 *     the active Conda environment ({@code CONDA_PREFIX})
 * @param folders additional folders
 * @param inUserFolder whether to search the user's folder: {@code $XDG_CONFIG_HOME/adbc/drivers} or {@code
 *     ~/.config/adbc/drivers}, on macOS {@code ~/Library/Application Support/ADBC/Drivers}, on Windows {@code
 *     %LOCALAPPDATA%\ADBC\Drivers}
 * @param inSystemFolder whether to search the system's folder: {@code /etc/adbc/drivers}, on macOS {@code
 *     /Library/Application Support/ADBC/Drivers}; Windows has none, and its registry is not read
 * @param mayBeRelative whether the caller's path, such as {@code drivers/x}, may be relative to the working directory;
 *     a path in a manifest never is
 * @param entryPoint the name of the init function, which overrides the manifest's; null for the manifest's name or
 *     those that {@code adbc.h} recommends
 */
public record AdbcDriverSearch(
    boolean inEnvironment, List<Path> folders, boolean inUserFolder, boolean inSystemFolder, boolean mayBeRelative,
    @Nullable String entryPoint) {
  /** Creates a search. */
  public AdbcDriverSearch {
    folders = List.copyOf(folders);
  }

  /** Returns a search of all places where drivers are installed. */
  public static AdbcDriverSearch everywhere() {
    return new AdbcDriverSearch(true, List.of(), true, true, true, null);
  }

  /** Returns a search of no place; add folders with {@link #in}. */
  public static AdbcDriverSearch nowhere() {
    return new AdbcDriverSearch(false, List.of(), false, false, false, null);
  }

  /** Returns this search with one more folder, after the folders that were added before. */
  public AdbcDriverSearch in(Path folder) {
    List<Path> all = new ArrayList<>(folders);
    all.add(Objects.requireNonNull(folder, "folder"));
    return new AdbcDriverSearch(inEnvironment, all, inUserFolder, inSystemFolder, mayBeRelative, entryPoint);
  }

  /** Returns this search with this name of the init function. */
  public AdbcDriverSearch by(String name) {
    return new AdbcDriverSearch(inEnvironment, folders, inUserFolder, inSystemFolder, mayBeRelative,
        Objects.requireNonNull(name, "name"));
  }
}
