// SPDX-License-Identifier: Apache-2.0
/** The check whether native calls are permitted. */
@NullMarked
package org.arbalest.device.internal.access;

import org.jspecify.annotations.NullMarked;
