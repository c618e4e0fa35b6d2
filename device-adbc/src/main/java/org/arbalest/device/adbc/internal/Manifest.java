// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;

/**
 * The manifest of a driver: a TOML file that names its library.
 *
 * @param file the path of the manifest
 * @param name the driver's name; null if the manifest has none
 * @param library the library; null if the manifest has none for this platform
 * @param entryPoint the name of the init function; null for the recommended names
 * @param platforms the platforms for which the manifest has libraries, if it distinguishes them
 */
record Manifest(Path file, @Nullable String name, @Nullable String library, @Nullable String entryPoint,
    String platforms) {
  private static final long VERSION = 1;

  /**
   * Reads a manifest.
   *
   * @param tuple the platform
   * @throws IllegalArgumentException if the file is not a valid manifest; the message contains the file and the reason
   */
  static Manifest read(Path file, String tuple) {
    TomlParseResult toml;
    try {
      toml = Toml.parse(file);
    } catch (IOException e) {
      throw new UncheckedIOException("the ADBC driver manifest " + file + " cannot be read: " + e, e);
    }
    if (toml.hasErrors())
      throw wrong(file, toml.errors().stream().map(TomlParseError::toString).collect(Collectors.joining("; ")));
    if (toml.get("manifest_version") != null && !Long.valueOf(VERSION).equals(toml.get("manifest_version"))) {
      throw wrong(file,
          "its manifest_version is " + toml.get("manifest_version") + ", and only " + VERSION + " is supported");
    }
    String name = toml.get("name") instanceof String text ? text : null;
    Object entryPoint = toml.get("Driver.entrypoint");
    if (entryPoint != null && !(entryPoint instanceof String)) throw wrong(file, "Driver.entrypoint is not a string");
    if ("".equals(entryPoint)) entryPoint = null;
    Object shared = toml.get("Driver.shared");
    if (shared instanceof TomlTable table) {
      Object ours = table.get(List.of(tuple));
      String library = ours == null ? null : path(file, "Driver.shared." + tuple, ours);
      return new Manifest(file, name, library, (String) entryPoint, String.join(", ", table.keySet()));
    }
    if (shared == null) throw wrong(file, "it has no Driver.shared");
    return new Manifest(file, name, path(file, "Driver.shared", shared), (String) entryPoint, "");
  }

  private static String path(Path file, String key, Object value) {
    if (!(value instanceof String path)) throw wrong(file, key + " is not a string");
    if (path.isEmpty()) throw wrong(file, key + " is empty");
    return path;
  }

  private static IllegalArgumentException wrong(Path file, String why) {
    return new IllegalArgumentException("the ADBC driver manifest " + file + " is wrong: " + why);
  }
}
