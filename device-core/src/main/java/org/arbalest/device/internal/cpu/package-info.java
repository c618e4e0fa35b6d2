// SPDX-License-Identifier: Apache-2.0
/** The CPU as a backend. */
@NullMarked
package org.arbalest.device.internal.cpu;

import org.jspecify.annotations.NullMarked;
