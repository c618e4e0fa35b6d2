// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import java.util.concurrent.Flow;

/**
 * A subscription whose {@link #request} only records the demand and wakes the thread that waits for it.
 *
 * <p>{@code request} does not block, and sends no signal before it returns. The library may therefore call it on the
 * thread on which a native consumer requests more (ASY-04). For other subscriptions it must first wake a thread of the
 * executor. If {@code request} sends a signal anyway, the executor passes it on, not the calling thread. If
 * {@code request} throws, the stream ends.
 *
 * <p><b>Threads.</b> Several threads may call {@code request} at the same time. The calls may begin as soon as the
 * subscriber knows the subscription: before {@code onSubscribe} has returned.
 */
public interface WakingSubscription extends Flow.Subscription {}
