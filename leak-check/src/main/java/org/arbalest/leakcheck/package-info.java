// SPDX-License-Identifier: Apache-2.0
/** Checks that code leaves no resource open, for any test framework. */
@NullMarked
package org.arbalest.leakcheck;

import org.jspecify.annotations.NullMarked;
