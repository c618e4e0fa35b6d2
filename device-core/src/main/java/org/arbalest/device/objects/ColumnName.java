// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The name of a record component's column, where the column's name is not a Java name:
 * {@code record Flight(@ColumnName("flight no") int number)}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.PARAMETER})
public @interface ColumnName {
  /** Returns the column's name. */
  String value();
}
