// SPDX-License-Identifier: Apache-2.0
/** Programs that a newcomer runs first. */
@NullMarked
package org.arbalest.samples;

import org.jspecify.annotations.NullMarked;
