// SPDX-License-Identifier: Apache-2.0
/** Tests that must leave nothing open, in JUnit Jupiter. */
@NullMarked
package org.arbalest.leakcheck.junit;

import org.jspecify.annotations.NullMarked;
