// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.types.Extension;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.RegisteredType;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/** The registered codecs, and lookups of them. See {@link ExtensionCodec}. */
public final class Codecs {
  private Codecs() {}

  public static void register(ExtensionCodec<?> codec) {
    String name = Objects.requireNonNull(codec.name(), "name");
    if (name.equals("arrow.uuid") || name.equals("arrow.bool8")) {
      throw new IllegalArgumentException(name + " is built in and accepts no registered codec");
    }
    RegisteredType.add(name,
        new RegisteredType(Objects.requireNonNull(codec.valueClass(), "valueClass"), codec::fits, codec));
  }

  public static void unregister(String name) {
    RegisteredType.remove(name);
  }

  public static @Nullable ExtensionCodec<?> registered(Field field) {
    RegisteredType type = RegisteredType.of(field);
    return type == null ? null : (ExtensionCodec<?>) type.codec();
  }

  /**
   * Returns how many times codecs were registered and removed. A caller that caches the results of codecs compares it.
   */
  public static int changes() {
    return RegisteredType.changes();
  }

  /** Returns the registered codecs for a class of values, without its subclasses. */
  public static List<ExtensionCodec<?>> ofClass(Class<?> type) {
    List<ExtensionCodec<?>> codecs = new ArrayList<>();
    for (RegisteredType registered : RegisteredType.all()) {
      if (registered.valueClass() == type) codecs.add((ExtensionCodec<?>) registered.codec());
    }
    return codecs;
  }

  /** Returns whether a codec reads and writes values of a field. */
  public static boolean fits(ExtensionCodec<?> codec, Field field) {
    Extension extension = field.extension();
    return extension != null && extension.name().equals(codec.name()) && codec.fits(field);
  }

  /** Returns the reason why a codec does not fit. */
  static String mismatch(ExtensionCodec<?> codec) {
    return "is not " + codec.name() + ", which is stored as " + TypeNames.of(codec.storage());
  }
}
