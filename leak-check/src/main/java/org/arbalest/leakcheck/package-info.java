// SPDX-License-Identifier: Apache-2.0
/** What is left open between two moments, for any way of testing. */
@NullMarked
package org.arbalest.leakcheck;

import org.jspecify.annotations.NullMarked;
