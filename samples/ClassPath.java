// SPDX-License-Identifier: Apache-2.0

/** Prints the class path of this JVM. Maven starts this source file with the class path of a module of samples. */
class ClassPath {
  public static void main(String[] args) {
    System.out.print(System.getProperty("java.class.path"));
  }
}
