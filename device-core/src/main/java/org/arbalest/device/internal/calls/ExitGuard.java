package org.arbalest.device.internal.calls;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.arbalest.device.abi.ArrowArrayStreamStruct;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStreamStruct;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of native threads and of callbacks when the JVM is over and the process still runs its {@code atexit} handlers and the static
 * destructors of its libraries.
 *
 * <p>A thread that FFM attached detaches when it ends, and in HotSpot that waits for ever once the JVM has exited (JDK-8391662): a library that
 * joins its threads in a static destructor, as Arrow C++ does, never lets the process go. And an upcall into a JVM that is over blocks, or
 * aborts the process. So an {@code atexit} handler of ours, once the JVM is over, makes detaching do nothing, and turns what C has for
 * callbacks to functions that stay outside: a release marks the struct as released, everything else refuses.
 *
 * <p>The handler has to run before the libraries' destructors, and handlers run in the reverse order of their registration. It is registered at
 * the start of the shutdown, and, since {@code Runtime.halt} runs no hook, whenever a native thread calls back that did not before: a library
 * registers its destructor when it makes its threads.
 *
 * <p>C gets the address of a jump through a cell, in a page of code that can never be written and executed at the same time. For
 * HotSpot on Linux, x86-64 and aarch64; elsewhere, and with {@code -Dorg.arbalest.exitGuard=false}, C gets the upcall stub itself.
 */
public final class ExitGuard {
  /** What a callback does once the JVM is over. */
  public enum Afterwards {
    NOTHING(0, -1),
    REFUSE(1, -1),
    RELEASE_SCHEMA(2, offsetOfRelease(ArrowSchemaStruct.LAYOUT)),
    RELEASE_ARRAY(3, offsetOfRelease(ArrowArrayStruct.LAYOUT)),
    RELEASE_STREAM(4, offsetOfRelease(ArrowArrayStreamStruct.LAYOUT)),
    RELEASE_DEVICE_STREAM(5, offsetOfRelease(ArrowDeviceArrayStreamStruct.LAYOUT));

    /** Where its function lies in the page of code. */
    private final int place;

    /** Where the struct has the word that a release clears; −1 if it is no release. */
    private final int release;

    Afterwards(int index, int release) {
      this.place = AFTERWARDS + FUNCTION * index;
      this.release = release;
    }

    private byte[] code(MachineCode machine) {
      if (release >= 0) return machine.clear(release);
      return machine.answer(this == REFUSE ? Errno.ECANCELED : 0);
    }

    private static int offsetOfRelease(StructLayout struct) {
      return (int) struct.byteOffset(PathElement.groupElement("release"));
    }
  }

  /** The property that turns it off. */
  private static final String PROPERTY = "org.arbalest.exitGuard";

  private static final Linker LINKER = Linker.nativeLinker();
  private static final Arena GLOBAL = Arena.global();

  /** The largest page of the platforms. */
  private static final long PAGE = 64 << 10;

  /** In the page of code: the handler, then what callbacks become, then the jumps. */
  private static final int AFTERWARDS = 128;

  private static final int FUNCTION = 16;
  private static final int JUMPS = 256;
  private static final int MOST_CALLBACKS = 32;

  /** So many of them at most are for backends: core's own are made later, and all have one. */
  private static final int MOST_OF_BACKENDS = 12;

  /** In the page of data, behind what the handler reads: the cells, and a table of the JavaVM's functions. */
  private static final int CELLS = 1024;

  private static final int FUNCTIONS = 2048;
  private static final int FUNCTIONS_SIZE = 64;
  private static final int DETACH = 40;
  private static final int GET_ENV = 48;

  /** The C library never forgets a handler: after so many native threads, every 64th registers one. */
  private static final int MANY_THREADS = 1024;

  /** Calls any C function of up to six words: what it does not take stays in registers. One handle, since making one takes milliseconds. */
  private static final MethodHandle CALL =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

  /** {@code int __cxa_atexit(void (*)(void*), void*, void*)}, which unlike {@code atexit} every C library exports; null on Windows. */
  private static final @Nullable MemorySegment CXA_ATEXIT = LINKER.defaultLookup().find("__cxa_atexit").orElse(null);

  /** The address of the page of code, behind which is that of the data; 0 if there is no guard. */
  private static final long CODE;

  /** Why there is no guard. */
  private static final @Nullable String MISSING;

  /** The id of the newest native thread that called back: what attached before it is older. 0 if there was none. */
  private static long newest;

  private static int threads;
  private static int callbacks;
  private static final AtomicInteger OF_BACKENDS = new AtomicInteger();

  /** The methods that are called back. */
  private static final Set<String> CALLED = ConcurrentHashMap.newKeySet();

  private static final MethodHandle NOTICE = method(MethodHandles.lookup(), "called", MethodType.methodType(void.class));

  /** With what exit code a thread wants the process to end at once. */
  private static final ThreadLocal<Integer> WANTED = new ThreadLocal<>();

  static {
    long code = 0;
    String missing = null;
    try {
      code = make();
    } catch (Throwable t) {
      missing = t.getMessage() == null ? t.toString() : t.getMessage();
    }
    CODE = code;
    MISSING = missing;
    register();
    try {
      Runtime.getRuntime().addShutdownHook(new Leaving());
    } catch (IllegalStateException _) {
      // The shutdown has begun.
    }
  }

  private ExitGuard() {}

  /** The address of a C function that calls a static method of core's, for the life of the process. Every upcall stub is made here. */
  public static long stub(Lookup lookup, String method, FunctionDescriptor type, Afterwards afterwards) {
    return guard(upcallStub(lookup, method, type), afterwards);
  }

  /** The same for a backend, of which many may want many: what has no jump any more goes without. */
  public static long stub(Lookup lookup, String method, FunctionDescriptor type) {
    ValueLayout result = type.returnLayout().orElse(JAVA_LONG) instanceof ValueLayout value ? value : null;
    if (result == null || result.carrier() == double.class || result.carrier() == float.class) {
      throw new IllegalArgumentException(method + " is to return nothing, a whole number or a pointer, not " + type.returnLayout().orElseThrow());
    }
    long stub = upcallStub(lookup, method, type);
    return OF_BACKENDS.getAndIncrement() < MOST_OF_BACKENDS ? guard(stub, Afterwards.NOTHING) : stub;
  }

  private static long upcallStub(Lookup lookup, String name, FunctionDescriptor type) {
    MethodHandle target = MethodHandles.foldArguments(method(lookup, name, type.toMethodType()), NOTICE);
    CALLED.add(lookup.lookupClass().getName() + "." + name);
    return LINKER.upcallStub(target, type, GLOBAL).address();
  }

  private static MethodHandle method(Lookup lookup, String name, MethodType type) {
    try {
      return lookup.findStatic(lookup.lookupClass(), name, type);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(lookup.lookupClass().getName() + " has no static method " + name + " of the type " + type, e);
    }
  }

  private static synchronized long guard(long stub, Afterwards afterwards) {
    if (CODE == 0) return stub;
    if (callbacks == MOST_CALLBACKS) {
      Faults.warn("there are more callbacks than jumps for them: one is not guarded against the end of the JVM");
      return stub;
    }
    int index = callbacks++;
    MemorySegment data = segment(CODE + PAGE, PAGE);
    long cell = CELLS + (long) Long.BYTES * index;
    data.set(JAVA_LONG, cell, stub);
    putPair(data, data.get(JAVA_LONG, MachineCode.COUNT), data.address() + cell, CODE + afterwards.place);
    return CODE + JUMPS + (long) FUNCTION * index;
  }

  private static void putPair(MemorySegment data, long index, long address, long word) {
    long pair = MachineCode.PAIRS + 2 * Long.BYTES * index;
    data.set(JAVA_LONG, pair, address);
    data.set(JAVA_LONG, pair + Long.BYTES, word);
    data.set(JAVA_LONG, MachineCode.COUNT, index + 1);
  }

  private static MemorySegment segment(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /** Every callback begins with this: is its thread a native one that is new? Throws nothing that the callback itself would not. */
  @SuppressWarnings("UnusedMethod") // NOTICE finds it by name
  private static void called() {
    Thread thread = Thread.currentThread();
    if (thread.threadId() > newest) calledBy(thread);
  }

  /** A thread that FFM attached is a daemon without a context class loader. */
  private static void calledBy(Thread thread) {
    try {
      if (thread.isDaemon() && !thread.isVirtual() && thread.getContextClassLoader() == null) register(thread.threadId());
    } catch (Throwable t) {
      Faults.report("registering an atexit handler", t);
    }
  }

  private static synchronized void register(long thread) {
    if (thread <= newest) return;
    newest = thread;
    if (threads++ < MANY_THREADS || (threads & 63) == 0) register();
  }

  private static void register() {
    if (CODE != 0) atExit(CODE, CODE + PAGE);
  }

  private static void atExit(long function, long argument) {
    if (CXA_ATEXIT != null) call(CXA_ATEXIT, function, argument, 0, 0, 0, 0);
  }

  /** If this thread's exit is the one by which the JVM ends, the process ends with this exit code, and without the libraries' handlers. */
  public static void endAtOnce(int status) {
    WANTED.set(status);
  }

  /** The shutdown hook. The thread whose exit it is starts it; others that exit as well wait in vain. */
  private static final class Leaving extends Thread {
    private @Nullable Integer status;

    Leaving() {
      super("arbalest-exit");
    }

    @Override
    public void start() {
      status = WANTED.get();
      super.start();
    }

    @Override
    public void run() {
      if (status == null) {
        leaving();
      } else {
        leaveBy(status);
      }
    }
  }

  private static void leaveBy(int status) {
    LINKER.defaultLookup().find("_exit").map(MemorySegment::address).ifPresent(exit -> atExit(exit, status));
  }

  private static void leaving() {
    register();
    if (newest == 0) return;
    Map<Thread, StackTraceElement[]> stacks = Thread.getAllStackTraces();
    if (CODE == 0 && mayHang() && !isDestroyed(stacks)) {
      Faults.warn(
          "native threads called back, and the JVM exits: if a library joins one of them in a static destructor, the process does not end"
              + " (JDK-8391662), except by ProcessExit.exit. Nothing guards against it here: " + MISSING);
    }
    stacks.forEach(ExitGuard::warnOfCallback);
  }

  /** The JDK is corrected from 28 on; Windows ends other threads before its libraries could join them. */
  private static boolean mayHang() {
    return Runtime.version().feature() < 28 && CXA_ATEXIT != null;
  }

  /** Whether the JVM is destroyed, as after a return from main, instead of exited: threads can detach from it then. */
  private static boolean isDestroyed(Map<Thread, StackTraceElement[]> stacks) {
    return stacks.values().stream()
        .flatMap(Stream::of)
        .anyMatch(frame -> frame.getClassName().equals("java.lang.Shutdown") && frame.getMethodName().equals("shutdown"));
  }

  /** A native thread that is in a callback has that at the bottom of its stack, above the JDK's own frames. */
  private static void warnOfCallback(Thread thread, StackTraceElement[] stack) {
    int bottom = stack.length - 1;
    while (bottom >= 0 && isPartOfUpcall(stack[bottom].getClassName())) bottom--;
    if (bottom < 0 || !CALLED.contains(stack[bottom].getClassName() + "." + stack[bottom].getMethodName())) return;
    Faults.warn(
        "the native thread " + thread.getName() + " is in " + stack[bottom].getMethodName() + " as the JVM shuts down. If it is still there when"
            + " the JVM is over, and a library joins it in a static destructor, the process does not end, except by ProcessExit.exit");
  }

  private static boolean isPartOfUpcall(String name) {
    return name.startsWith("java.lang.invoke.") || name.startsWith("jdk.internal.foreign.");
  }

  private static long make() throws IOException {
    if (System.getProperty(PROPERTY, "true").equals("false")) throw new UnsupportedOperationException(PROPERTY + "=false");
    MachineCode machine = MachineCode.ours();
    if (!System.getProperty("os.name", "").equals("Linux") || machine == null || CXA_ATEXIT == null) {
      throw new UnsupportedOperationException(System.getProperty("os.name") + " on " + System.getProperty("os.arch") + " is not one it is for");
    }
    String vm = System.getProperty("java.vm.name", "");
    if (!vm.contains("OpenJDK") && !vm.contains("HotSpot")) throw new UnsupportedOperationException(vm + " is not HotSpot");
    long javaVm = javaVm();
    long code = call(libc("mmap"), 0, 2 * PAGE, 1 | 2, 2 | 0x20, -1, 0); // READ | WRITE, PRIVATE | ANONYMOUS
    if (code == -1) throw new IllegalStateException("mmap failed");
    try {
      writeCode(machine, segment(code, PAGE));
      writeData(code + PAGE, javaVm, code + Afterwards.NOTHING.place);
      execute(machine, code);
    } catch (Throwable t) {
      call(libc("munmap"), code, 2 * PAGE, 0, 0, 0, 0);
      throw t;
    }
    return code;
  }

  private static long javaVm() {
    SymbolLookup libjvm = SymbolLookup.libraryLookup("libjvm.so", GLOBAL); // the one that is loaded: its name is unique
    MemorySegment created = libjvm.findOrThrow("JNI_GetCreatedJavaVMs");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment vm = arena.allocate(JAVA_LONG);
      MemorySegment count = arena.allocate(JAVA_INT);
      int code = (int) call(created, vm.address(), 1, count.address(), 0, 0, 0);
      if (code != 0 || count.get(JAVA_INT, 0) != 1) throw new IllegalStateException("JNI_GetCreatedJavaVMs found no JVM");
      return vm.get(JAVA_LONG, 0);
    }
  }

  private static void writeCode(MachineCode machine, MemorySegment code) {
    write(machine.atExit(), code, 0);
    for (Afterwards afterwards : Afterwards.values()) write(afterwards.code(machine), code, afterwards.place);
    for (int i = 0; i < MOST_CALLBACKS; i++) {
      int jump = JUMPS + FUNCTION * i;
      write(machine.jump((int) PAGE + CELLS + Long.BYTES * i - jump), code, jump);
    }
  }

  private static void write(byte[] function, MemorySegment code, long place) {
    MemorySegment.copy(function, 0, code, JAVA_BYTE, place, function.length);
  }

  private static void writeData(long address, long javaVm, long nothing) throws IOException {
    MemorySegment data = segment(address, PAGE);
    MemorySegment functions = segment(segment(javaVm, Long.BYTES).get(JAVA_LONG, 0), FUNCTIONS_SIZE);
    data.set(JAVA_LONG, MachineCode.VM, javaVm);
    data.set(JAVA_LONG, MachineCode.GET_ENV, functions.get(JAVA_LONG, GET_ENV));
    MemorySegment.copy(functions, 0, data, FUNCTIONS, FUNCTIONS_SIZE);
    data.set(JAVA_LONG, FUNCTIONS + DETACH, nothing);
    if (!isWritable(javaVm)) throw new IllegalStateException("the JavaVM cannot be written to");
    putPair(data, 0, javaVm, address + FUNCTIONS);
  }

  /** Whether writing to an address is no fault: what the kernel says of its page. */
  private static boolean isWritable(long address) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      int dash = line.indexOf('-');
      int space = line.indexOf(' ');
      long start = Long.parseUnsignedLong(line, 0, dash, 16);
      long end = Long.parseUnsignedLong(line, dash + 1, space, 16);
      if (Long.compareUnsigned(start, address) <= 0 && Long.compareUnsigned(address, end) < 0) return line.startsWith("rw", space + 1);
    }
    return false;
  }

  private static void execute(MachineCode machine, long code) {
    int result = (int) call(libc("mprotect"), code, PAGE, 1 | 4, 0, 0, 0); // READ | EXEC
    if (result != 0) throw new IllegalStateException("mprotect refuses executable memory");
    if (machine != MachineCode.AARCH64) return;
    // Linux itself flushes what becomes executable; this is what C does in any case.
    call(SymbolLookup.libraryLookup("libgcc_s.so.1", GLOBAL).findOrThrow("__clear_cache"), code, code + PAGE, 0, 0, 0, 0);
  }

  private static MemorySegment libc(String name) {
    return LINKER.defaultLookup().findOrThrow(name);
  }

  private static long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) CALL.invokeExact(function, a, b, c, d, e, f);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }
}
