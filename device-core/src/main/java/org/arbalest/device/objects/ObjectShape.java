// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import java.lang.invoke.MethodHandle;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/** The components and constructors of a class's objects. Immutable. */
public interface ObjectShape {
  /** Returns the components, in the order of the constructor's parameters. */
  List<Component> components();

  /**
   * Returns a method handle that creates an object. It takes all components in order, each with the type that its
   * {@link Component#getter} returns. A missing component's argument may have any value.
   *
   * @param missing the positions of the missing components, which all have a default. The handle's parameter may have
   *     any type there. Core passes the zero or null of that type, and the handle ignores it
   */
  MethodHandle constructor(BitSet missing);

  /**
   * A part of an object.
   *
   * @param name the name of its column
   * @param type its type
   * @param hasDefault whether an object can be created without it
   * @param getter takes the object, and returns the part
   */
  record Component(String name, ObjectType type, boolean hasDefault, MethodHandle getter) {
    /** Checks the arguments. */
    public Component {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(getter, "getter");
    }
  }
}
