// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import org.jspecify.annotations.Nullable;

/**
 * A column of a table.
 *
 * @param name the name
 * @param position the position in the table, from 1
 * @param remarks the database's description of the column
 * @param xdbc the metadata that JDBC and ODBC define for a column
 */
public record AdbcColumn(String name, @Nullable Integer position, @Nullable String remarks, Xdbc xdbc) {
  /**
   * The metadata that JDBC's {@code DatabaseMetaData.getColumns} and ODBC's {@code SQLColumns} return for a column,
   * under their names. A value is null if the driver does not provide it.
   *
   * @param dataType the type's number
   * @param typeName the type's name
   * @param columnSize the size in digits, characters or bytes
   * @param decimalDigits the number of digits after the decimal point
   * @param numPrecRadix the radix of the digits: 10 or 2
   * @param nullable 0 for no, 1 for yes, 2 for unknown
   * @param columnDef the default value
   * @param sqlDataType the type's number, without the sub-code of dates and times
   * @param datetimeSub the sub-code of dates and times
   * @param charOctetLength the maximum number of bytes of a text
   * @param isNullable YES, NO or empty
   * @param scopeCatalog the catalog of the table to which a reference refers
   * @param scopeSchema the schema of that table
   * @param scopeTable the name of that table
   * @param isAutoincrement whether the database assigns increasing values
   * @param isGeneratedColumn whether the database computes the column
   */
  public record Xdbc(
      @Nullable Integer dataType,
      @Nullable String typeName,
      @Nullable Integer columnSize,
      @Nullable Integer decimalDigits,
      @Nullable Integer numPrecRadix,
      @Nullable Integer nullable,
      @Nullable String columnDef,
      @Nullable Integer sqlDataType,
      @Nullable Integer datetimeSub,
      @Nullable Integer charOctetLength,
      @Nullable String isNullable,
      @Nullable String scopeCatalog,
      @Nullable String scopeSchema,
      @Nullable String scopeTable,
      @Nullable Boolean isAutoincrement,
      @Nullable Boolean isGeneratedColumn) {}
}
