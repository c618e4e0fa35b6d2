// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.lang.invoke.MethodType;

/** Primitives and their boxes. */
final class Primitives {
  private Primitives() {}

  /** The box of a primitive, any other class itself. */
  static Class<?> box(Class<?> type) {
    return MethodType.methodType(type).wrap().returnType();
  }

  /** How a class is called among people who write code: a box as its primitive. */
  static String name(Class<?> type) {
    return MethodType.methodType(type).unwrap().returnType().getSimpleName();
  }
}
