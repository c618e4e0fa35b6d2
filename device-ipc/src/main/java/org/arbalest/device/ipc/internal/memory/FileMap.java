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
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A whole file in memory, for reading.
 *
 * <p>The JDK's map needs a shared arena. To close one, the JVM stops at each of its threads: 50 µs without other
 * threads, 0.2 ms with 400. So on Linux a process that maps many files calls {@code mmap} itself. Its first maps are
 * the JDK's, because linking these calls takes as long as thousands of such stops.
 *
 * @param bytes the content, valid until {@code unmap}
 * @param unmap ends the map; the owner runs it once
 */
public record FileMap(MemorySegment bytes, Runnable unmap) {
  /** The number of maps that the JDK makes before this class does. */
  static final int FIRST_MAPS = 32;

  private static final AtomicInteger MAPS = new AtomicInteger();

  /** Maps a file. */
  public static FileMap of(Path path) throws IOException {
    boolean isFirst = MAPS.get() < FIRST_MAPS && MAPS.incrementAndGet() <= FIRST_MAPS;
    String name = isFirst ? null : systemName(path);
    FileMap map = name == null ? null : LinuxCalls.map(name);
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

  /** Returns the name under which Linux knows a regular file; null if this is another system, or the name is unsure. */
  private static @Nullable String systemName(Path path) {
    if (!System.getProperty("os.name").equals("Linux") || ADDRESS.byteSize() != Long.BYTES) return null;
    if (path.getClass().getModule() != Object.class.getModule()) return null;
    Path absolute = path.toAbsolutePath(); // Java's working folder may be another one
    String name = absolute.toString();
    boolean isText = isUtf8() || StandardCharsets.US_ASCII.newEncoder().canEncode(name);
    // a name may be no text, and the path of an archive is equal to no path of the system
    return isText && Path.of(name).equals(absolute) && Files.isRegularFile(absolute) ? name : null;
  }

  private static boolean isUtf8() {
    return Charset.forName(System.getProperty("sun.jnu.encoding", "US-ASCII")).equals(StandardCharsets.UTF_8);
  }

  /** The calls with the numbers of Linux, which are linked when the first of them is needed. */
  private static final class LinuxCalls {
    /** O_RDONLY, O_CLOEXEC and O_NONBLOCK, so that a pipe in place of the file is not awaited. */
    private static final int FLAGS = 0x80000 | 0x800;

    private static final int SEEK_END = 2;
    private static final int PROT_READ = 1;
    private static final int MAP_SHARED = 1;

    private static final MethodHandle OPEN =
        link("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle LSEEK =
        link("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MMAP = link("mmap",
        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP =
        link("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle CLOSE = link("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private static MethodHandle link(String name, FunctionDescriptor type, Linker.Option... options) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
    }

    /** Maps a file; returns null if the system refuses. */
    static @Nullable FileMap map(String name) {
      try (Arena arena = Arena.ofConfined()) {
        int file = (int) OPEN.invokeExact(arena.allocateFrom(name), FLAGS);
        if (file < 0) return null;
        try {
          long size = (long) LSEEK.invokeExact(file, 0L, SEEK_END);
          if (size <= 0) return null; // no memory has 0 bytes
          Map map = new Map(size);
          map.address = (long) MMAP.invokeExact(0L, size, PROT_READ, MAP_SHARED, file, 0L);
          return map.address == -1 ? null : map.toFileMap();
        } finally {
          int _ = (int) CLOSE.invokeExact(file);
        }
      } catch (Throwable t) {
        throw unexpected(t);
      }
    }

    /** A map, allocated before the memory is. */
    private static final class Map implements Runnable {
      private final long size;
      private long address;

      Map(long size) {
        this.size = size;
      }

      FileMap toFileMap() {
        try {
          return new FileMap(NativeMemory.segment(address, size), this);
        } catch (Throwable t) {
          run();
          throw t;
        }
      }

      @Override
      public void run() {
        try {
          int _ = (int) MUNMAP.invokeExact(address, size);
        } catch (Throwable t) {
          throw unexpected(t);
        }
      }
    }

    /** Returns an error that a call cannot cause; throws one that it can, such as a lack of memory. */
    private static AssertionError unexpected(Throwable t) {
      if (t instanceof Error error) throw error;
      return new AssertionError(t);
    }
  }
}
