// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an API for a draft of ADBC, which can change with the draft, or be removed, in any release. It is for drivers
 * that follow the same draft.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.FIELD})
public @interface Experimental {}
