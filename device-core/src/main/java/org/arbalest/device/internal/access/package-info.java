// SPDX-License-Identifier: Apache-2.0
/** Whether C may be called at all. */
@NullMarked
package org.arbalest.device.internal.access;

import org.jspecify.annotations.NullMarked;
