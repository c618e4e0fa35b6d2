// SPDX-License-Identifier: Apache-2.0
/** Rows as objects of a class, and back. */
@NullMarked
package org.arbalest.device.internal.records;

import org.jspecify.annotations.NullMarked;
