// SPDX-License-Identifier: Apache-2.0
/** Arrays in another layout: conversions to a requested schema, and compact copies of slices. */
@NullMarked
package org.arbalest.device.internal.convert;

import org.jspecify.annotations.NullMarked;
