// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

/**
 * Lets ktlint look at Kotlin on the build's own compiler, with one class of ktlint's in the form that this compiler
 * needs: the jar with everything in it is fifteen times as large, for it brings a compiler. That jar writes; Kotlin
 * 2.4's compiler lets nobody change what it has parsed.
 */
final class Ktlint {
  private static final Path CLASS = Path.of("com/pinterest/ktlint/rule/engine/core/api/KtlintKotlinCompilerKt.java");

  private Ktlint() {}

  /** The folder with ktlint's jars, that of this file, and ktlint's arguments. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Path.of(args[0]);
    Path ours = Files.createDirectories(folder.resolve("classes"));
    List<Path> classPath = new ArrayList<>(List.of(ours));
    try (var jars = Files.newDirectoryStream(folder, "*.jar")) {
      jars.forEach(classPath::add);
    }
    String joined = classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    String source = Path.of(args[1]).resolve(CLASS).toString();
    int code = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-d", ours.toString(), "-cp",
        joined, source);
    if (code != 0) System.exit(code);

    var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(List.of("--sun-misc-unsafe-memory-access=allow", "-cp", joined, "com.pinterest.ktlint.Main"));
    command.addAll(List.of(args).subList(2, args.length));
    System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
  }
}
