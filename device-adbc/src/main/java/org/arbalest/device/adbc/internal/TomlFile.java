// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.tomlj.Toml;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;

/**
 * A TOML file of ADBC.
 *
 * @param kind the kind of file, for error messages, such as "ADBC driver manifest"
 * @param path the path of the file
 */
record TomlFile(String kind, Path path) {
  /**
   * Parses the file.
   *
   * @param text describes a syntax error
   * @throws IllegalArgumentException if the file is not valid TOML; the message contains the file and the errors
   */
  TomlParseResult parse(Function<TomlParseError, String> text) {
    TomlParseResult toml;
    try {
      toml = Toml.parse(path);
    } catch (IOException e) {
      throw new UncheckedIOException("the " + kind + " " + path + " cannot be read: " + e, e);
    }
    if (toml.hasErrors())
      throw wrong(toml.errors().stream().map(text).collect(Collectors.joining("; ")));
    return toml;
  }

  /** Returns the error that the file is wrong for a reason. */
  IllegalArgumentException wrong(String why) {
    return new IllegalArgumentException("the " + kind + " " + path + " is wrong: " + why);
  }
}
