// SPDX-License-Identifier: Apache-2.0
/** Fields and types: their layouts, their format strings, and the import and export of schemas. */
@NullMarked
package org.arbalest.device.internal.schema;

import org.jspecify.annotations.NullMarked;
