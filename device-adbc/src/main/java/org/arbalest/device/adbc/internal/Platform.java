// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.Linker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The properties of a process that the search for drivers uses.
 *
 * @param os the operating system, as in manifests: linux, macos, windows
 * @param tuple the platform, as in manifests: {@code linux_amd64}
 * @param home the user's home folder
 * @param environment the environment variables
 */
public record Platform(String os, String tuple, Path home, Map<String, String> environment) {
  /** The begin of the names of most drivers' libraries, after {@code lib}. */
  private static final String USUAL = "adbc_driver_";

  private static final int LEAST_SIMILAR = 3;

  /** Returns the platform of this process. */
  public static Platform ours() {
    String os = os(System.getProperty("os.name", ""));
    boolean isMusl = os.equals("linux") && Linker.nativeLinker().defaultLookup().find("gnu_get_libc_version").isEmpty();
    String tuple = os + "_" + architecture(System.getProperty("os.arch", "")) + (isMusl ? "_musl" : "");
    return new Platform(os, tuple, home(os, System.getenv()), System.getenv());
  }

  /**
   * Returns the home folder that shells and ADBC's driver manager use. The JVM's own value comes from the system's user
   * database.
   */
  static Path home(String os, Map<String, String> environment) {
    String home = os.equals("windows") ? "" : environment.getOrDefault("HOME", "");
    return Path.of(home.isEmpty() ? System.getProperty("user.home", "") : home);
  }

  /** Returns the operating system for the property {@code os.name}. */
  static String os(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.startsWith("mac") ? "macos" : lower.startsWith("windows") ? "windows" : lower;
  }

  private static String architecture(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "x86_64", "amd64", "x64" -> "amd64";
      case "aarch64", "arm64" -> "arm64";
      case "i386", "i686", "x86" -> "x86";
      case "ppc" -> "powerpc";
      case "ppc64" -> "powerpc64";
      case "ppc64le" -> "powerpc64le";
      case String other -> other;
    };
  }

  /** Returns the folders of {@code ADBC_DRIVER_PATH}. */
  List<Path> environmentFolders() {
    return folders("ADBC_DRIVER_PATH");
  }

  /** Returns the folders of a variable with a list of folders. */
  private List<Path> folders(String variable) {
    String path = environment.getOrDefault(variable, "");
    return Stream.of(path.split(os.equals("windows") ? ";" : ":")).filter(folder -> !folder.isEmpty()).map(Path::of)
        .toList();
  }

  /** Returns the folders with this name of the active Python environment and of the active Conda environment. */
  List<Path> prefixFolders(String name) {
    return Stream.of("VIRTUAL_ENV", "CONDA_PREFIX").flatMap(variable -> folders(variable).stream())
        .map(prefix -> prefix.resolve("etc/adbc").resolve(name)).toList();
  }

  /** Returns the folder of the user's drivers. */
  Path userFolder() {
    return userFolder("Drivers");
  }

  /** Returns the folders of connection profiles, in the order of the search. */
  List<Path> profileFolders() {
    List<Path> folders = new ArrayList<>(folders("ADBC_PROFILE_PATH"));
    folders.addAll(prefixFolders("profiles"));
    folders.add(userFolder("Profiles"));
    return folders;
  }

  /** Returns one of the user's folders of ADBC. Its name has a capital letter, except on Linux. */
  private Path userFolder(String name) {
    return switch (os) {
      case "macos" -> home.resolve("Library/Application Support/ADBC").resolve(name);
      case "windows" -> folder("LOCALAPPDATA", home.resolve("AppData/Local")).resolve("ADBC").resolve(name);
      default -> folder("XDG_CONFIG_HOME", home.resolve(".config")).resolve("adbc")
          .resolve(name.toLowerCase(Locale.ROOT));
    };
  }

  private Path folder(String variable, Path otherwise) {
    String folder = environment.getOrDefault(variable, "");
    return folder.isEmpty() ? otherwise : Path.of(folder);
  }

  /** Returns the folders of the system's drivers; empty on Windows. */
  List<Path> systemFolders() {
    return switch (os) {
      case "macos" -> List.of(Path.of("/Library/Application Support/ADBC/Drivers"));
      case "windows" -> List.of();
      default -> List.of(Path.of("/etc/adbc/drivers"));
    };
  }

  /**
   * Returns the possible file names of a driver's library: the usual {@code libadbc_driver_sqlite.so} and {@code
   * adbc_driver_sqlite.so}, then the name alone with the platform's prefix and suffix, and unchanged. The last is the
   * name in the packages of PyPI, which have {@code .so} on every platform.
   */
  List<String> libraryNames(String name) {
    String suffix = os.equals("windows") ? ".dll" : os.equals("macos") ? ".dylib" : ".so";
    String prefix = os.equals("windows") || name.startsWith("lib") ? "" : "lib";
    boolean isUsual = name.contains(USUAL);
    Stream<String> usual = isUsual ? Stream.of() : Stream.of("lib" + USUAL + name + suffix, USUAL + name + suffix);
    String ofPyPi = (isUsual && name.startsWith("lib") ? "" : "lib") + (isUsual ? "" : USUAL) + name + ".so";
    return Stream.concat(usual, Stream.of(prefix + name + suffix, name + suffix, name, ofPyPi)).distinct().toList();
  }

  /** Returns whether a file's name is similar to the name of a driver, such as {@code libadbc_driver_sqlite.so.110}. */
  static boolean isSimilar(String file, String name) {
    String stem = file.replaceFirst("[.].*", "").replaceFirst("^lib", "").replaceFirst("^" + USUAL, "")
        .toLowerCase(Locale.ROOT);
    String wanted = name.toLowerCase(Locale.ROOT);
    return stem.length() >= LEAST_SIMILAR && (stem.contains(wanted) || wanted.contains(stem));
  }
}
