// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Compiles C sources from resources, with the compiler in the environment variable {@code CC}, or with {@code cc}. */
final class CSources {
  private static final List<String> FLAGS = List.of("-std=gnu11", "-O2", "-shared", "-fPIC", "-pthread", "-I.");

  private CSources() {}

  /**
   * Returns the library compiled from these sources. It stays loaded until the process ends, because native code may
   * run in it at any time.
   *
   * @param resources the resources by file name
   * @throws IllegalStateException if no compiler exists, or if it refuses the sources
   */
  static SymbolLookup load(Map<String, String> resources) {
    try {
      Path folder = Files.createTempDirectory("arbalest-samples");
      try {
        return SymbolLookup.libraryLookup(compile(folder, resources), Arena.global());
      } finally {
        delete(folder); // a loaded library does not need its file
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot compile the C sources in " + System.getProperty("java.io.tmpdir") + ": " + e, e);
    }
  }

  /**
   * Compiles these sources in a folder and returns the library's path.
   *
   * @param resources the resources by file name
   * @throws IllegalStateException if no compiler exists, or if it refuses the sources
   */
  static Path compile(Path folder, Map<String, String> resources) throws IOException {
    for (var resource : resources.entrySet()) copy(resource.getValue(), folder.resolve(resource.getKey()));
    Path library = folder.resolve(System.mapLibraryName("samples"));
    compile(folder, library, resources.keySet().stream().filter(name -> name.endsWith(".c")).toList());
    return library;
  }

  private static void compile(Path folder, Path library, List<String> sources) throws IOException {
    String compiler = Objects.requireNonNullElse(System.getenv("CC"), "cc");
    List<String> command = new ArrayList<>(List.of(compiler));
    command.addAll(FLAGS);
    command.addAll(List.of("-o", library.toString()));
    command.addAll(sources);
    Process process;
    try {
      process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IllegalStateException(
          "there is no C compiler " + compiler + "; set CC to the compiler with which this sample compiles C", e);
    }
    try (BufferedReader words = process.inputReader()) {
      String said = words.readAllAsString();
      if (process.waitFor() != 0) throw new IllegalStateException(compiler + " failed: " + said);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while compiling", e);
    }
  }

  private static void copy(String resource, Path file) throws IOException {
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    try (InputStream in = CSources.class.getResourceAsStream(resource)) {
      if (in == null) throw new IllegalStateException("the class path has no resource " + resource);
      Files.copy(in, file);
    }
  }

  private static void delete(Path folder) throws IOException {
    List<Path> files;
    try (var all = Files.walk(folder)) {
      files = all.toList().reversed();
    }
    for (Path file : files) Files.delete(file);
  }
}
