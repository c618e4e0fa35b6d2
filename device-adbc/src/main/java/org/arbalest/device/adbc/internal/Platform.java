// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.Linker;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a process is, as far as drivers are looked for by it.
 *
 * @param os as manifests say it: linux, macos, windows
 * @param tuple as manifests say it: {@code linux_amd64}
 * @param home the user's folder
 * @param environment environment variables
 */
public record Platform(String os, String tuple, Path home, Map<String, String> environment) {
  /** This process. */
  public static Platform ours() {
    String os = os(System.getProperty("os.name", ""));
    boolean isMusl = os.equals("linux") && Linker.nativeLinker().defaultLookup().find("gnu_get_libc_version").isEmpty();
    String tuple = os + "_" + architecture(System.getProperty("os.arch", "")) + (isMusl ? "_musl" : "");
    return new Platform(os, tuple, home(os, System.getenv()), System.getenv());
  }

  /**
   * What shells and ADBC's driver manager take for the user's folder; the JVM's own is that of the system's list of
   * users.
   */
  static Path home(String os, Map<String, String> environment) {
    String home = os.equals("windows") ? "" : environment.getOrDefault("HOME", "");
    return Path.of(home.isEmpty() ? System.getProperty("user.home", "") : home);
  }

  /** Of the property {@code os.name}. */
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

  /** The folders of {@code ADBC_DRIVER_PATH}. */
  List<Path> environmentFolders() {
    String path = environment.getOrDefault("ADBC_DRIVER_PATH", "");
    return Stream.of(path.split(os.equals("windows") ? ";" : ":")).filter(folder -> !folder.isEmpty()).map(Path::of)
        .toList();
  }

  /** Where the user's drivers are. */
  Path userFolder() {
    return switch (os) {
      case "macos" -> home.resolve("Library/Application Support/ADBC/Drivers");
      case "windows" -> folder("LOCALAPPDATA", home.resolve("AppData/Local")).resolve("ADBC/Drivers");
      default -> folder("XDG_CONFIG_HOME", home.resolve(".config")).resolve("adbc/drivers");
    };
  }

  private Path folder(String variable, Path otherwise) {
    String folder = environment.getOrDefault(variable, "");
    return folder.isEmpty() ? otherwise : Path.of(folder);
  }

  /** Where the system's drivers are; none on Windows. */
  List<Path> systemFolders() {
    return switch (os) {
      case "macos" -> List.of(Path.of("/Library/Application Support/ADBC/Drivers"));
      case "windows" -> List.of();
      default -> List.of(Path.of("/etc/adbc/drivers"));
    };
  }

  /** What the file of a library may be called: as it is, or with what the platform puts around. */
  List<String> libraryNames(String name) {
    String suffix = os.equals("windows") ? ".dll" : os.equals("macos") ? ".dylib" : ".so";
    String prefix = os.equals("windows") || name.startsWith("lib") ? "" : "lib";
    return Stream.of(prefix + name + suffix, name + suffix, name).distinct().toList();
  }
}
