// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The lines of inlined Kotlin code. kotlinc numbers the lines of an inlined body after the last line of the file. The
 * attribute {@code SourceDebugExtension} (JSR 45) of the class maps them, in the stratum {@code KotlinDebug}, to the
 * line of the call.
 */
final class InlinedLines {
  /** An inlined body: the number of its lines, and the line of the call. */
  private record Body(int count, int call) {}

  private InlinedLines() {}

  /** Replaces the line of each frame in an inlined body by the line of the call. */
  static void replace(Throwable made) {
    Map<String, NavigableMap<Integer, Body>> classes = new HashMap<>();
    StackTraceElement[] frames = made.getStackTrace();
    for (int i = 0; i < frames.length; i++) {
      StackTraceElement frame = frames[i];
      var body = classes.computeIfAbsent(frame.getClassName(), InlinedLines::of).floorEntry(frame.getLineNumber());
      if (body == null || frame.getLineNumber() >= body.getKey() + body.getValue().count) continue;
      frames[i] = new StackTraceElement(frame.getClassLoaderName(), frame.getModuleName(), frame.getModuleVersion(),
          frame.getClassName(), frame.getMethodName(), frame.getFileName(), body.getValue().call);
    }
    made.setStackTrace(frames);
  }

  /** Returns the inlined bodies of a class by their first lines; none if its file cannot be found. */
  private static NavigableMap<Integer, Body> of(String name) {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    ClassLoader loader = context == null ? ClassLoader.getSystemClassLoader() : context;
    try (InputStream in = loader.getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) return new TreeMap<>();
      return ClassFile.of().parse(in.readAllBytes()).findAttribute(Attributes.sourceDebugExtension())
          .map(attribute -> parse(new String(attribute.contents(), StandardCharsets.UTF_8))).orElseGet(TreeMap::new);
    } catch (IOException | RuntimeException e) { // another compiler's class, or a loader that was closed
      return new TreeMap<>();
    }
  }

  /**
   * Parses a map of lines. An entry of the section {@code *L} is {@code call#file,repeat:first,count}; file, repeat and
   * count may be missing.
   */
  private static NavigableMap<Integer, Body> parse(String map) {
    NavigableMap<Integer, Body> bodies = new TreeMap<>();
    boolean isDebug = false;
    boolean isLines = false;
    for (String line : map.lines().toList()) {
      if (line.startsWith("*")) {
        if (line.startsWith("*S ")) isDebug = line.equals("*S KotlinDebug");
        isLines = line.equals("*L");
      } else if (isDebug && isLines) {
        String[] sides = line.split(":", 2);
        if (sides.length < 2) continue;
        String[] output = sides[1].split(",", 2);
        int call = Integer.parseInt(sides[0].split("[#,]", 2)[0]);
        bodies.put(Integer.parseInt(output[0]), new Body(output.length > 1 ? Integer.parseInt(output[1]) : 1, call));
      }
    }
    return bodies;
  }
}
