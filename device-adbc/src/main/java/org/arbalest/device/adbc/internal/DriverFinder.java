// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.arbalest.device.adbc.AdbcDriverSearch;
import org.jspecify.annotations.Nullable;

/**
 * The search for a driver, by the rules of ADBC's driver manager. The user gives a path to a library or to a manifest,
 * the name of a manifest or of a library in the folders of installed drivers, or the name of a library that the dynamic
 * linker finds.
 */
final class DriverFinder {
  private final Platform platform;
  private final AdbcDriverSearch search;

  /** The searched places and what they contain, for the error message. */
  private final List<String> tried = new ArrayList<>();

  /** The files in these places with a similar name, for the error message. */
  private final List<Path> similar = new ArrayList<>();

  /** A driver that was found. */
  record Found(String name, DriverLibrary.EntryPoint init) {}

  private DriverFinder(Platform platform, AdbcDriverSearch search) {
    this.platform = platform;
    this.search = search;
  }

  /**
   * Finds a driver, and loads its library.
   *
   * @throws IllegalArgumentException if no driver is found; the message lists the searched places and what they contain
   */
  static Found find(Platform platform, String driver, AdbcDriverSearch search) {
    return new DriverFinder(platform, search).find(driver);
  }

  private Found find(String driver) {
    if (driver.isEmpty()) throw new IllegalArgumentException("the name of an ADBC driver is empty");
    Path path = Path.of(driver);
    boolean isName = isName(path);
    if (!path.isAbsolute() && !search.mayBeRelative() && (!isName || hasExtension(path))) {
      throw new IllegalArgumentException(
          "the path of the ADBC driver is relative, which is not allowed here: " + driver);
    }
    if (hasExtension(path))
      return isManifest(path) ? ofManifest(Manifest.read(path, platform.tuple())) : ofLibrary(driver, null, null);
    if (!isName) {
      Found found = path.getParent() == null ? null : inFolder(path.getParent(), String.valueOf(path.getFileName()));
      if (found == null) throw none(driver);
      return found;
    }
    for (Path folder : folders()) {
      Found found = inFolder(folder, driver);
      if (found != null) return found;
    }
    for (String name : platform.libraryNames(driver)) {
      SymbolLookup library = DriverLibrary.tryByName(name);
      if (library != null) return found(name, null, library, null);
    }
    tried.add("the dynamic linker" + DriverLibrary.why(platform.libraryNames(driver).getFirst()));
    throw none(driver);
  }

  /** Returns whether this is a name, not a path: it has no folder, and is never searched in the working directory. */
  private static boolean isName(Path path) {
    return path.getNameCount() == 1 && !path.isAbsolute();
  }

  private static boolean hasExtension(Path path) {
    return String.valueOf(path.getFileName()).lastIndexOf('.') > 0;
  }

  private static boolean isManifest(Path path) {
    return path.toString().toLowerCase(Locale.ROOT).endsWith(".toml");
  }

  private List<Path> folders() {
    List<Path> folders = new ArrayList<>();
    if (search.inEnvironment()) folders.addAll(platform.environmentFolders());
    folders.addAll(search.folders());
    if (search.inEnvironment()) folders.addAll(platform.prefixFolders("drivers"));
    if (search.inUserFolder()) folders.add(platform.userFolder());
    if (search.inSystemFolder()) folders.addAll(platform.systemFolders());
    return folders;
  }

  /** Returns a manifest in a folder, or else a library; null if the folder has neither. */
  private @Nullable Found inFolder(Path folder, String name) {
    Path manifest = folder.resolve(name + ".toml");
    if (Files.isRegularFile(manifest)) {
      Manifest found = Manifest.read(manifest, platform.tuple());
      if (found.library() != null) return ofManifest(found);
      tried.add(notOurs(found));
    }
    for (String file : platform.libraryNames(name)) {
      if (Files.isRegularFile(folder.resolve(file)))
        return ofLibrary(folder.resolve(file).toAbsolutePath().toString(), null, null);
    }
    tried.add(folder + (Files.isDirectory(folder) ? "" : " (which does not exist)"));
    addSimilar(folder, name);
    return null;
  }

  private void addSimilar(Path folder, String name) {
    if (!Files.isDirectory(folder)) return;
    try (Stream<Path> files = Files.list(folder)) {
      files.filter(file -> Platform.isSimilar(String.valueOf(file.getFileName()), name)).sorted()
          .forEach(similar::add);
    } catch (IOException | UncheckedIOException e) {
      tried.add(folder + " (which cannot be listed: " + e.getMessage() + ")");
    }
  }

  private Found ofManifest(Manifest manifest) {
    if (manifest.library() == null) throw new IllegalArgumentException("the ADBC driver manifest " + notOurs(manifest));
    try {
      Path library = Path.of(manifest.library());
      if (!library.isAbsolute() && !isName(library))
        throw new IllegalArgumentException("that is neither an absolute path nor a name for the dynamic linker");
      return ofLibrary(manifest.library(), manifest.name(), manifest.entryPoint());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the ADBC driver manifest " + manifest.file() + " names " + manifest.library() + ", but " + e.getMessage(),
          e);
    }
  }

  private String notOurs(Manifest manifest) {
    return manifest.file() + " has no library for " + platform.tuple() + ", only for " + manifest.platforms();
  }

  /** Returns the library at a path; the dynamic linker finds a name without a folder. */
  private Found ofLibrary(String path, @Nullable String name, @Nullable String entryPoint) {
    Path file = Path.of(path);
    SymbolLookup library = isName(file) ? DriverLibrary.tryByName(path) : DriverLibrary.load(file);
    if (library == null) throw new IllegalArgumentException(
        "no ADBC driver " + path + ": the dynamic linker does not find it" + DriverLibrary.why(path));
    return found(path, name, library, entryPoint);
  }

  private Found found(String path, @Nullable String name, SymbolLookup library, @Nullable String entryPoint) {
    String file = String.valueOf(Path.of(path).getFileName());
    String wanted = search.entryPoint() == null ? entryPoint : search.entryPoint();
    return new Found(name == null ? file : name, DriverLibrary.entryPoint(library, file, wanted));
  }

  private IllegalArgumentException none(String driver) {
    String name = String.valueOf(Path.of(driver).getFileName());
    String near = similar.stream().map(Path::toString).collect(Collectors.joining(", "));
    return new IllegalArgumentException("no ADBC driver " + driver + ": looked for " + name + ".toml, "
        + String.join(", ", platform.libraryNames(name)) + " in " + String.join(", ", tried)
        + (near.isEmpty() ? "" : "; similar names: " + near + "; pass one of these paths, if that is the driver")
        + "; install the driver there, or pass the path of its library or manifest"
        + (driver.equals(DatabaseUri.DUCK_DB) ? "; or add org.duckdb:duckdb_jdbc to the class path" : ""));
  }
}
