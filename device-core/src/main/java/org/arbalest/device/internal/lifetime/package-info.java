// SPDX-License-Identifier: Apache-2.0
/**
 * The lifetime of objects: reference counts, handles that were never closed, and the values of the resource counters.
 */
@NullMarked
package org.arbalest.device.internal.lifetime;

import org.jspecify.annotations.NullMarked;
