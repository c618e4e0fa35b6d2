// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The type ids of a union's children, and the child for each id. */
final class TypeIds {
  private static final int MOST = 128;

  private final List<Integer> ids;
  private final int[] children = new int[MOST];

  TypeIds(List<Integer> ids) {
    this.ids = new ArrayList<>(ids);
    Arrays.fill(children, -1);
    for (int i = 0; i < ids.size(); i++) children[ids.get(i)] = i;
  }

  int size() {
    return ids.size();
  }

  boolean isFull() {
    return ids.size() == MOST;
  }

  /** Assigns the first free id to a new child. */
  void add() {
    int id = 0;
    while (children[id] >= 0) id++;
    children[id] = ids.size();
    ids.add(id);
  }

  byte of(int child) {
    return ids.get(child).byteValue();
  }

  /** Returns the child with a type id, or −1. */
  int childOf(byte id) {
    return id < 0 ? -1 : children[id];
  }

  List<Integer> all() {
    return ids;
  }
}
