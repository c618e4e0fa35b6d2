// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The search for HIP's library: first what the process has loaded, then {@code ROCM_PATH}, the names that the system's
 * linker finds, and the folders of ROCm in {@code /opt}, newest first.
 *
 * <p>ROCm 7.14 and 10.0 have the same library, {@code libamdhip64.so.7}, and each release a folder of its own, such as
 * {@code /opt/rocm/core-10.0}. A later ROCm 10 may have {@code libamdhip64.so.8}, for which Orochi looks
 * (GPUOpen-LibrariesAndSDKs/Orochi pull request 149). It is accepted if it states to be of ROCm 10.
 *
 * @param names the libraries to try, in order
 * @param unread the libraries of other major versions, which are not tried
 * @param isUnreadLoaded whether the process has loaded one of those: another one would share nothing with it
 */
record HipSearch(List<String> names, List<String> unread, boolean isUnreadLoaded) {
  /** The option to use a major version whose behaviour was not compared with this backend. */
  static final String ANY_VERSION = "arbalest.rocm.anyVersion";

  /** The library's major versions that may be of a release whose sources were compared with this backend. */
  private static final Set<Integer> READ = Set.of(5, 6, 7, 8);

  private static final List<String> NAMES = List.of(
      "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so.8", "libamdhip64.so",
      "amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll");

  private static final Pattern FILE = Pattern.compile("libamdhip64\\.so(\\.\\d+)*");
  private static final Pattern NO_DIGITS = Pattern.compile("\\D+");

  static HipSearch ofProcess() {
    return of(Path.of("/proc/self/maps"), System.getenv("ROCM_PATH"), Path.of("/opt"));
  }

  /** Searches with these files and folders, for tests. */
  static HipSearch of(Path maps, @Nullable String rocmPath, Path opt) {
    List<Path> loaded = loaded(maps);
    List<Path> chosen = rocmPath == null || rocmPath.isEmpty() ? List.of() : newestFirst(in(Path.of(rocmPath)));
    List<Path> installed = new ArrayList<>();
    for (Path root : folders(opt, "rocm*")) {
      installed.addAll(in(root));
      for (Path core : folders(root, "core-*")) installed.addAll(in(core));
    }
    Set<String> names = new LinkedHashSet<>();
    Set<String> unread = new LinkedHashSet<>();
    sort(loaded, names, unread);
    boolean isUnreadLoaded = !unread.isEmpty();
    sort(chosen, names, unread);
    names.addAll(NAMES);
    sort(newestFirst(installed), names, unread);
    return new HipSearch(List.copyOf(names), List.copyOf(unread), isUnreadLoaded);
  }

  /** Returns why no library may be used; null if no unread one is loaded. */
  @Nullable
  String refusal() {
    return isUnreadLoaded ? "the process has loaded " + explained() : null;
  }

  /** Returns the end of a sentence about a missing library; empty if no unread one was found. */
  String others() {
    return unread.isEmpty() ? "" : "; found " + explained();
  }

  private String explained() {
    return String.join(", ", unread) + ", a major version that this backend was not compared with; " + remedy();
  }

  /** Returns why a runtime's version is refused; null if it is accepted. */
  static @Nullable String refusal(int version) {
    int major = version / 10_000_000;
    if (major <= 7 || major == 10 || Boolean.getBoolean(ANY_VERSION)) return null;
    return "HIP is of ROCm " + HipFunction.version(version) + ", a major version that this backend was not compared"
        + " with; " + remedy();
  }

  private static String remedy() {
    return "use ROCm 5 to 7 or 10, a newer release of this backend, or -D" + ANY_VERSION + "=true at your own risk";
  }

  /** Adds each library to the names or to the unread ones. */
  private static void sort(List<Path> libraries, Set<String> names, Set<String> unread) {
    for (Path library : libraries) {
      int major = major(library);
      boolean isRead = major == 0 || READ.contains(major) || Boolean.getBoolean(ANY_VERSION);
      (isRead ? names : unread).add(library.toString());
    }
  }

  /** Returns the libraries in the process's table of mappings; none where the system has no such table. */
  private static List<Path> loaded(Path maps) {
    String text;
    try {
      text = new String(Files.readAllBytes(maps), StandardCharsets.UTF_8);
    } catch (IOException _) {
      return List.of(); // not Linux; the names of loaded libraries are still preferred
    }
    Set<Path> loaded = new LinkedHashSet<>();
    text.lines().forEach(line -> {
      int path = line.indexOf('/');
      if (path >= 0 && FILE.matcher(name(line)).matches()) {
        loaded.add(Path.of(line.substring(path)));
      }
    });
    return List.copyOf(loaded);
  }

  /** Returns the libraries of an installation, each file once. */
  private static List<Path> in(Path root) {
    Map<Path, Path> files = new LinkedHashMap<>();
    for (String folder : List.of("lib", "lib64")) {
      for (Path file : list(root.resolve(folder), "libamdhip64.so*")) {
        if (FILE.matcher(name(file.toString())).matches()) files.putIfAbsent(real(file), file);
      }
    }
    return List.copyOf(files.values());
  }

  private static List<Path> newestFirst(List<Path> libraries) {
    Comparator<Path> byMajor = Comparator.comparingInt(HipSearch::major);
    Comparator<Path> byFolder = Comparator.comparing(path -> numbers(folder(real(path))), Arrays::compare);
    return libraries.stream().sorted(byMajor.thenComparing(byFolder).reversed()).toList();
  }

  /** Returns the first number after {@code .so} in a library's name; 0 if its name has none. */
  private static int major(Path library) {
    String name = name(real(library).toString());
    int end = name.lastIndexOf(".so");
    int[] version = end < 0 ? new int[0] : numbers(name.substring(end));
    return version.length == 0 ? 0 : version[0];
  }

  private static String folder(Path library) {
    String path = library.toString();
    return path.substring(0, path.length() - name(path).length());
  }

  private static String name(String path) {
    return path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  }

  private static int[] numbers(String text) {
    return NO_DIGITS.splitAsStream(text).filter(digits -> !digits.isEmpty() && digits.length() < 10)
        .mapToInt(Integer::parseInt).toArray();
  }

  private static List<Path> folders(Path folder, String pattern) {
    return list(folder, pattern).stream().filter(Files::isDirectory).toList();
  }

  private static List<Path> list(Path folder, String pattern) {
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, pattern)) {
      List<Path> paths = new ArrayList<>();
      stream.forEach(paths::add);
      paths.sort(Comparator.naturalOrder());
      return paths;
    } catch (IOException _) {
      return List.of(); // nothing is installed there
    }
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException _) {
      return path; // a file that was deleted after it was loaded
    }
  }
}
