// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
    var source = new TomlFile("ADBC driver manifest", file);
    TomlParseResult toml = source.parse(TomlParseError::toString);
    if (toml.get("manifest_version") != null && !Long.valueOf(VERSION).equals(toml.get("manifest_version"))) {
      throw source.wrong(
          "its manifest_version is " + toml.get("manifest_version") + ", and only " + VERSION + " is supported");
    }
    String name = toml.get("name") instanceof String text ? text : null;
    Object entryPoint = toml.get("Driver.entrypoint");
    if (entryPoint != null && !(entryPoint instanceof String)) throw source.wrong("Driver.entrypoint is not a string");
    if ("".equals(entryPoint)) entryPoint = null;
    Object shared = toml.get("Driver.shared");
    if (shared instanceof TomlTable table) {
      Object ours = table.get(List.of(tuple));
      String library = ours == null ? null : path(source, "Driver.shared." + tuple, ours);
      return new Manifest(file, name, library, (String) entryPoint, String.join(", ", table.keySet()));
    }
    if (shared == null) throw source.wrong("it has no Driver.shared");
    return new Manifest(file, name, path(source, "Driver.shared", shared), (String) entryPoint, "");
  }

  private static String path(TomlFile source, String key, Object value) {
    if (!(value instanceof String path)) throw source.wrong(key + " is not a string");
    if (path.isEmpty()) throw source.wrong(key + " is empty");
    return path;
  }
}
