// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck;

/** The code that must leave nothing open. */
public enum LeakScope {
  /** Each test, together with its own set-up and tear-down. */
  TEST,

  /** Each class or spec as a whole. Its tests may pass open resources to each other. */
  CLASS,

  /** Each test, and also the class, for resources that are created before or between its tests. */
  TEST_AND_CLASS;

  /** Returns whether each test is checked. */
  public boolean hasTests() {
    return this != CLASS;
  }

  /** Returns whether each class is checked. */
  public boolean hasClasses() {
    return this != TEST;
  }
}
