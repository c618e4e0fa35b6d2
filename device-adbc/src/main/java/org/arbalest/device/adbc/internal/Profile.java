// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;

/**
 * A connection profile of ADBC: a TOML file with a driver and the options of a database. Its error messages contain
 * keys, but no values, which may be passwords.
 *
 * @param file the path of the profile
 * @param driver the name or path of the driver; null if the profile has none
 * @param options the options; strings, {@link Long} and {@link Double}
 */
record Profile(Path file, @Nullable String driver, Map<String, Object> options) {
  private static final long VERSION = 1;
  private static final String EXTENSION = ".toml";
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{\\s*([^{}]*?)\\s*}}");
  private static final Pattern ENVIRONMENT_VARIABLE = Pattern.compile("env_var\\(\\s*([^()]+?)\\s*\\)");

  /**
   * Reads a profile by its name, or by its absolute path.
   *
   * @throws IllegalArgumentException if there is no such profile, and the message lists the searched folders; or if the
   *     file is not a valid profile
   */
  static Profile find(Platform platform, String name) {
    if (name.isEmpty()) throw new IllegalArgumentException("the name of the connection profile is empty");
    Path path = Path.of(name);
    if (path.isAbsolute() || name.endsWith(EXTENSION)) {
      if (!path.isAbsolute()) throw new IllegalArgumentException("the path of the connection profile " + name
          + " is relative; use an absolute path, or a name without " + EXTENSION);
      Path file = name.endsWith(EXTENSION) ? path : Path.of(name + EXTENSION);
      if (!Files.isRegularFile(file))
        throw new IllegalArgumentException("no connection profile at " + file + ": there is no such file");
      return read(platform, file);
    }
    List<String> tried = new ArrayList<>();
    for (Path folder : platform.profileFolders()) {
      Path file = folder.resolve(name + EXTENSION);
      if (Files.isRegularFile(file)) return read(platform, file);
      tried.add(folder + (Files.isDirectory(folder) ? "" : " (which does not exist)"));
    }
    throw new IllegalArgumentException("no connection profile " + name + ": looked for " + name + EXTENSION + " in "
        + String.join(", ", tried));
  }

  private static Profile read(Platform platform, Path file) {
    var source = new TomlFile("ADBC connection profile", file);
    TomlParseResult toml = source.parse(error -> "it has a syntax error at " + error.position());
    Object version = toml.get("profile_version");
    if (!Long.valueOf(VERSION).equals(version)) throw source.wrong(version == null ? "it has no profile_version"
        : "its profile_version is " + version + ", and only " + VERSION + " is supported");
    Object driver = toml.get("driver");
    if (driver != null && !(driver instanceof String)) throw source.wrong("driver is not a string");
    if (!(toml.get("Options") instanceof TomlTable table)) throw source.wrong("it has no table Options");
    Map<String, Object> options = new LinkedHashMap<>();
    for (List<String> keys : table.keyPathSet()) {
      String key = String.join(".", keys);
      Object value = option(platform, source, key, table.get(keys));
      if (options.put(key, value) != null) throw source.wrong("it has the option " + key + " twice");
    }
    return new Profile(file, "".equals(driver) ? null : (String) driver, Collections.unmodifiableMap(options));
  }

  private static Object option(Platform platform, TomlFile source, String key, @Nullable Object value) {
    return switch (value) {
      case String text -> expanded(platform, source, key, text);
      case Boolean flag -> flag.toString();
      case Long number -> number;
      case Double number -> number;
      case null, default -> throw source.wrong("the option " + key + " is not a string, a number or a boolean");
    };
  }

  /** Replaces each <code>{{ env_var(NAME) }}</code>. A variable that is not set is an empty text, as ADBC requires. */
  private static String expanded(Platform platform, TomlFile source, String key, String text) {
    return PLACEHOLDER.matcher(text).replaceAll((MatchResult found) -> {
      Matcher variable = ENVIRONMENT_VARIABLE.matcher(found.group(1));
      if (!variable.matches()) throw source.wrong("the option " + key + " has a placeholder in {{ }} that is not "
          + "env_var(NAME)");
      return Matcher.quoteReplacement(platform.environment().getOrDefault(variable.group(1), ""));
    });
  }
}
