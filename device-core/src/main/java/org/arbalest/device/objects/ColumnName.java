// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The column that a component of a record is, where its name is none in Java: {@code record Flight(@ColumnName("flight
 * no") int number)}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.PARAMETER})
public @interface ColumnName {
  /** The column's name. */
  String value();
}
