// SPDX-License-Identifier: Apache-2.0
/** Fields and types: their layouts, format strings, and how schemas come from C and go there. */
@NullMarked
package org.arbalest.device.internal.schema;

import org.jspecify.annotations.NullMarked;
