// SPDX-License-Identifier: Apache-2.0
/** Sample programs for a first run. */
@NullMarked
package org.arbalest.samples;

import org.jspecify.annotations.NullMarked;
