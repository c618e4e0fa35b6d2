// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.lang.invoke.MethodType;

/** Primitives and their boxes. */
final class Primitives {
  private Primitives() {}

  /** Returns the box of a primitive; other classes are returned unchanged. */
  static Class<?> box(Class<?> type) {
    return MethodType.methodType(type).wrap().returnType();
  }

  /** Returns the usual name of a class in code; a box has the name of its primitive. */
  static String name(Class<?> type) {
    return MethodType.methodType(type).unwrap().returnType().getSimpleName();
  }
}
