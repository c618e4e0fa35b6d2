// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks.start;

/** A program that does nothing: the start and the end of the JVM. */
public final class EmptyProgram {
  private EmptyProgram() {}

  public static void main(String[] args) {}
}
