// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The data files of the samples. */
final class SampleData {
  private SampleData() {}

  /**
   * Returns the path of an existing file.
   *
   * @throws IllegalArgumentException if the name does not lead to a regular file. The message says why.
   */
  static Path file(String name) {
    if (name.isEmpty()) throw new IllegalArgumentException("the name of the file is empty");
    Path file;
    try {
      file = Path.of(name);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("no file can have this name: " + e.getMessage(), e);
    }
    // DuckDB would read all files of the folder.
    if (Files.isDirectory(file)) throw new IllegalArgumentException(name + " is a folder, not a file");
    if (!Files.exists(file)) throw new IllegalArgumentException("there is no file " + name);
    if (!Files.isRegularFile(file)) throw new IllegalArgumentException(name + " is not a regular file");
    return file;
  }

  /**
   * Returns the file of 400,000 flights. If the samples are in a jar, it is a copy that is deleted when the JVM exits.
   */
  static Path flights() {
    String name = "flights-400k.parquet";
    URL url = SampleData.class.getResource(name);
    if (url == null)
      throw new IllegalStateException("the samples were built without " + name + "; name a file with --file");
    try {
      if (url.getProtocol().equals("file")) return Path.of(url.toURI());
      Path copy = Files.createTempFile("flights", ".parquet");
      copy.toFile().deleteOnExit();
      try (InputStream in = url.openStream()) {
        Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
      }
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "copying " + url + " to a file in " + System.getProperty("java.io.tmpdir") + " failed: " + e, e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
