// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.memory;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A whole file in memory, for reading.
 *
 * <p>On Linux the map is made by {@code mmap}, because the JDK's needs a shared arena. To close one, the JVM stops at
 * each of its threads, which takes longer than all the rest, and more with each thread.
 *
 * @param bytes the content, valid until {@code unmap}
 * @param unmap ends the map; the owner runs it once
 */
public record FileMap(MemorySegment bytes, Runnable unmap) {
  /** Maps a file. */
  public static FileMap of(Path path) throws IOException {
    FileMap map = Posix.isKnown(path) ? Posix.map(path) : null;
    return map == null ? byArena(path) : map; // this also throws the system's error
  }

  private static FileMap byArena(Path path) throws IOException {
    Arena arena = Arena.ofShared();
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      return new FileMap(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena), arena::close);
    } catch (Throwable t) {
      arena.close();
      throw t;
    }
  }

  /** The calls of POSIX with the numbers of Linux. */
  private static final class Posix {
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final int SEEK_END = 2;
    private static final int PROT_READ = 1;
    private static final int MAP_SHARED = 1;

    private static final MethodHandle OPEN =
        find("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle LSEEK =
        find("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MMAP = find("mmap",
        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP =
        find("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CLOSE = find("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private static MethodHandle find(String name, FunctionDescriptor type, Linker.Option... options) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
    }

    /** Returns whether the path has the same bytes in the operating system as in Java. */
    static boolean isKnown(Path path) {
      return ValueLayout.ADDRESS.byteSize() == Long.BYTES && System.getProperty("os.name").equals("Linux")
          && path.getFileSystem().equals(FileSystems.getDefault())
          && (isUtf8() || StandardCharsets.US_ASCII.newEncoder().canEncode(path.toString()));
    }

    private static boolean isUtf8() {
      return Charset.forName(System.getProperty("sun.jnu.encoding", "US-ASCII")).equals(StandardCharsets.UTF_8);
    }

    /** Maps a file; returns null if the system refuses. */
    static @Nullable FileMap map(Path path) {
      try (Arena arena = Arena.ofConfined()) {
        int file = (int) OPEN.invokeExact(arena.allocateFrom(path.toString()), O_RDONLY_CLOEXEC);
        if (file < 0) return null;
        try {
          long size = (long) LSEEK.invokeExact(file, 0L, SEEK_END);
          if (size <= 0) return null; // no memory has 0 bytes
          long address = (long) MMAP.invokeExact(0L, size, PROT_READ, MAP_SHARED, file, 0L);
          if (address == -1) return null;
          return new FileMap(NativeMemory.segment(address, size), () -> unmap(address, size));
        } finally {
          int _ = (int) CLOSE.invokeExact(file);
        }
      } catch (Throwable t) {
        throw new AssertionError(t);
      }
    }

    private static void unmap(long address, long size) {
      try {
        int _ = (int) MUNMAP.invokeExact(address, size);
      } catch (Throwable t) {
        throw new AssertionError(t);
      }
    }
  }
}
