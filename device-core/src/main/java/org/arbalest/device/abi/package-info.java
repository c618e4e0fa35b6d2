// SPDX-License-Identifier: Apache-2.0
/**
 * The C structs of Arrow's three C interfaces: bytes, no policy.
 *
 * <p>Each class is one C struct: its layout, and static accessors that take the struct's address. Nothing here frees or calls anything,
 * only {@code allocate} allocates, and nothing is checked: an address that is not a struct of that kind ends the process. Pointers are {@code long}s.
 */
@NullMarked
package org.arbalest.device.abi;

import org.jspecify.annotations.NullMarked;
