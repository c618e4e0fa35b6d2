// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes the class path of this JVM to a file. Maven starts this source file with the class path of a module of
 * samples. Maven does not write the file itself, because the output of a JVM also has messages about its options.
 */
class ClassPath {
  public static void main(String[] args) throws IOException {
    Files.writeString(Path.of(args[0]), System.getProperty("java.class.path"));
  }
}
