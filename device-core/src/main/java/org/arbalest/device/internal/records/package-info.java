// SPDX-License-Identifier: Apache-2.0
/** Reading rows as objects of a class, and building batches from such objects. */
@NullMarked
package org.arbalest.device.internal.records;

import org.jspecify.annotations.NullMarked;
