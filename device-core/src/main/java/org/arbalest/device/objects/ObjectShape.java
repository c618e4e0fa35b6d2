// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import java.lang.invoke.MethodHandle;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;

/** What objects of a class are made of. Immutable. */
public interface ObjectShape {
  /** The components, in the order in which the constructor takes them. */
  List<Component> components();

  /**
   * What makes an object: takes all components in order, each as its {@link Component#getter} returns it; in place of
   * one that is missing, anything.
   *
   * @param missing the positions of those that are not there, and have a default: the parameter may have any type
   *     there, is given the zero or null of that type, and is left aside
   */
  MethodHandle constructor(BitSet missing);

  /**
   * A part of an object.
   *
   * @param name the name of its column
   * @param type its type
   * @param hasDefault whether an object can be made without it
   * @param getter takes the object, and returns the part
   */
  record Component(String name, ObjectType type, boolean hasDefault, MethodHandle getter) {
    /** Checks that all is there. */
    public Component {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(type, "type");
      Objects.requireNonNull(getter, "getter");
    }
  }
}
