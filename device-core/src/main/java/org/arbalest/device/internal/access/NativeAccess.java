// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.access;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the JVM has native calls, and permits them to core ({@code --enable-native-access}). Makes the error
 * message.
 *
 * <p>The check runs once, without making a class unusable. Each class that needs native calls checks here first, so
 * that each caller receives the same message, every time. Enabling native access later has no effect, because constants
 * depend on it.
 */
public final class NativeAccess {
  /** The service of a backend, by its name, because this package depends on no other. */
  private static final String PROVIDER = "org.arbalest.device.spi.DeviceProvider";

  private static final String ALL_UNNAMED = "ALL-UNNAMED";

  private static final Module CORE = NativeAccess.class.getModule();
  private static final @Nullable String NO_LINKER = whyNoLinker(new Supplier<Linker>() {
    @Override
    public Linker get() { // not a lambda, because this runs at the start of each program
      return Linker.nativeLinker();
    }
  });
  private static final boolean ENABLED = NO_LINKER == null && attempt();

  private NativeAccess() {}

  /** Returns why the JVM cannot call native code, or null if it can. */
  static @Nullable String whyNoLinker(Supplier<Linker> linker) {
    try {
      Linker _ = linker.get();
      return null;
    } catch (UnsupportedOperationException _) {
      return "this JVM, " + System.getProperty("java.vm.name") + " on " + System.getProperty("os.arch")
          + ", cannot call native code: java.lang.foreign has no linker for it; run on a JVM with a JIT compiler, such "
          + "as HotSpot's Server VM";
    }
  }

  /**
   * Attempts a call that needs native access. The flag itself is not a reliable source: without
   * {@code --illegal-native-access=deny} the JVM only prints a warning.
   */
  private static boolean attempt() {
    try {
      MemorySegment.NULL.reinterpret(0);
      return true;
    } catch (IllegalCallerException _) {
      return false;
    }
  }

  public static boolean isEnabled() {
    return ENABLED;
  }

  /** Throws {@link #refusal} unless core may make native calls. */
  public static void require() {
    if (!ENABLED) throw refusal();
  }

  /**
   * Returns the exception for users who forgot the flag, or whose JVM has no native calls. Its class is that of the
   * JDK's exception; its message names the flag for their case.
   */
  public static RuntimeException refusal() {
    return NO_LINKER == null ? new IllegalCallerException(why()) : new UnsupportedOperationException(NO_LINKER);
  }

  /** Returns a message that core cannot make native calls, and what to do. */
  public static String why() {
    return NO_LINKER == null ? why(CORE) : NO_LINKER;
  }

  /** Returns the same message for a backend that failed for this reason; null if it failed for another reason. */
  public static @Nullable String whyRefused(Module backend, Throwable failure) {
    if (backend.isNativeAccessEnabled()) return null;
    for (Throwable t = failure; t != null; t = t.getCause()) {
      boolean isRefusal = t instanceof IllegalCallerException;
      // For a class that has become unusable, only the name of the original exception is known, from the message.
      if (isRefusal || String.valueOf(t.getMessage()).contains(IllegalCallerException.class.getName()))
        return why(backend);
    }
    return null;
  }

  private static String why(Module refused) {
    String who = refused.isNamed() ? "the module " + refused.getName() : "the class path";
    String why = "native access is not enabled for " + who + ": ";
    if (refused.isNamed() && refused.getLayer() != ModuleLayer.boot()) {
      return why
          + "the module is in a layer of its own; enable it with its ModuleLayer.Controller.enableNativeAccess before "
          + "the first call";
    }
    String flag = why + "start the JVM with --enable-native-access=" + String.join(",", modules(refused));
    return refused.isNamed() ? flag
        : flag + "; an executable jar may say Enable-Native-Access: " + ALL_UNNAMED + " in its manifest instead";
  }

  /** Returns the modules for the flag: core, the available backends, and the refused module. */
  private static Set<String> modules(Module refused) {
    Set<String> names = new TreeSet<>();
    names.add(name(CORE));
    names.add(name(refused));
    ModuleLayer layer = CORE.getLayer();
    if (layer == null) return names;
    for (Module module : layer.modules()) {
      if (module.getDescriptor().provides().stream().anyMatch(service -> service.service().equals(PROVIDER)))
        names.add(module.getName());
    }
    return names;
  }

  private static String name(Module module) {
    return module.isNamed() ? module.getName() : ALL_UNNAMED;
  }
}
