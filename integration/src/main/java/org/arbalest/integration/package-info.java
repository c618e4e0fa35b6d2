// SPDX-License-Identifier: Apache-2.0
/** Testers for Arrow's integration suite: JSON files, C structs and Arrow files, compared with each other. */
@NullMarked
package org.arbalest.integration;

import org.jspecify.annotations.NullMarked;
