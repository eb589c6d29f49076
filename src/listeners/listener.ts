/**
 * Listeners take events from senders that do not speak HTTP. Each is a folder: `listener.ts` starts and stops it, the
 * other files know its wire.
 *
 * Promises: events take the way of a request (token, scope, quota, pipeline, journal), so what is stored looks the same;
 * memory is bounded, and what cannot be taken is pushed back to the sender or counted where the sender cannot be told.
 * Refuses: to listen before it was asked to by a setting.
 */
export type Listener = {
  /** Answers where it listens, in words for the log. */
  start(): Promise<string>
  /** Takes no more, and stores what it has. */
  stop(): Promise<void>
}
