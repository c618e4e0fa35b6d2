// SPDX-License-Identifier: Apache-2.0

/** Parses a line of TOML with the parser in the assembly jar. */
class Toml {
  public static void main(String[] arguments) {
    System.out.println(org.arbalest.spark.shaded.tomlj.Toml.parse("name = \"DuckDB\"").getString("name"));
  }
}
