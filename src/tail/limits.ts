/** Every limit of live tail, in one place, with its reason. */

/** Streams of one process. Each holds a socket and up to `QUEUE_BYTES`; more people than this are watched by a search. */
export const MAX_READERS = 500

/** What may wait for one reader beyond the system's own socket buffer; then its events are skipped and counted. */
export const QUEUE_BYTES = 256 * 1024

/** Rows copied from the journal and not yet looked at, per source and in all. What does not fit is skipped and counted. */
export const PENDING_BYTES = 1024 * 1024
export const PENDING_BYTES_ALL = 16 * 1024 * 1024

/** Rows that had to wait longer than this for their turn are skipped: whoever watches wants what happens now. */
export const STALE_AFTER_MS = 2_000

/** One round over a source: small enough that 200 readers get it within a few turns of the event loop. */
export const ROUND_ROWS = 256
export const ROUND_BYTES = 64 * 1024
/** The same when there is no time for it. */
export const SHORT_ROUND_BYTES = 16 * 1024

/** Work in one go, before others have theirs. */
export const TURN_MS = 2

/** Streams written to before the clock is looked at. */
export const STREAMS_PER_LOOK = 8

/** Bytes that a socket did not take at once cost their time later: about a millisecond per megabyte. */
export const LATER_MS_PER_BYTE = 1e-6

/** Silence that proxies and dead connections get, at most. */
export const HEARTBEAT_MS = 15_000

/** How often a stream's right to exist is looked at, and what it missed is told when nothing else comes. */
export const CHECK_MS = 1_000

/** What a reader is asked to wait before it connects again. */
export const RETRY_MS = 2_000

/** How long a reader has for its last message once the stream ends. */
export const LAST_WORDS_MS = 500

/** The journal keeps at least this much behind its end, so that a stream can go on after a restart. */
export const KEEP_BYTES = 16 * 1024 * 1024

/** A reader that comes back reads the journal in pieces of this size, `CATCH_UPS` such readers at a time. */
export const SLICE_BYTES = 256 * 1024
export const CATCH_UPS = 4

/** A reader that has not caught up by then goes on with what happens now, and is told so. */
export const CATCH_UP_MS = 30_000

/** What another node gets to answer, and how long it is left alone when it does not. */
export const CONNECT_MS = 3_000
export const LINK_AGAIN_MS = 1_000
/** Nothing is read from another node while half of a reader's queue is full; looked at so often. */
export const LOOK_FOR_ROOM_MS = 20
