// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.access;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whether the JVM lets core call C ({@code --enable-native-access}), and what to tell users where it does not. It is
 * asked once, without making a class unusable: whoever needs C asks here first, and so everybody is told the same,
 * every time. What is enabled later comes too late, since constants hang on it.
 */
public final class NativeAccess {
  /** What a backend provides; by its name, since nothing is known here. */
  private static final String PROVIDER = "org.arbalest.device.spi.DeviceProvider";

  private static final String ALL_UNNAMED = "ALL-UNNAMED";

  private static final Module CORE = NativeAccess.class.getModule();
  private static final boolean ENABLED = attempt();

  private NativeAccess() {}

  /**
   * A call that needs it; that the flag is not given says nothing, since without {@code --illegal-native-access=deny}
   * there is a warning only.
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

  /** Throws {@link #refusal} unless core may call C. */
  public static void require() {
    if (!ENABLED) throw refusal();
  }

  /**
   * What users get who forgot the flag: the class that the JDK throws, with a message that names the flag for their
   * case.
   */
  public static IllegalCallerException refusal() {
    return new IllegalCallerException(why());
  }

  /** That core may not call C, and what to do. */
  public static String why() {
    return why(CORE);
  }

  /** The same of a backend, if that is what it failed with; null if it failed with something else. */
  public static @Nullable String whyRefused(Module backend, Throwable failure) {
    if (backend.isNativeAccessEnabled()) return null;
    for (Throwable t = failure; t != null; t = t.getCause()) {
      boolean isRefusal = t instanceof IllegalCallerException;
      // What a class that is unusable now failed with is known by its name only.
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
          + "it is in a layer of its own, whose ModuleLayer.Controller has to enable it by enableNativeAccess before "
          + "the first call";
    }
    String flag = why + "start the JVM with --enable-native-access=" + String.join(",", modules(refused));
    return refused.isNamed() ? flag
        : flag + "; an executable jar may say Enable-Native-Access: " + ALL_UNNAMED + " in its manifest instead";
  }

  /** What the flag has to name: core, the backends that are there, and the one that was refused. */
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
