// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck;

/** What has to leave nothing open. */
public enum LeakScope {
  /** Each test, what is set up and torn down for it included. */
  TEST,

  /** Each class, or spec, as a whole: its tests may hand on to each other what they hold. */
  CLASS,

  /** Each test, and the class for what is set up before its tests, or between them. */
  TEST_AND_CLASS;

  /** Whether each test is checked. */
  public boolean hasTests() {
    return this != CLASS;
  }

  /** Whether classes are checked. */
  public boolean hasClasses() {
    return this != TEST;
  }
}
