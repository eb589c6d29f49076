/**
 * Every limit of ingest, in one place, with its reason. Sizes are bytes.
 */

/** A request as it comes over the wire: what one sender may make us hold before we have looked at it. */
export const MAX_WIRE_BYTES = 12_000_000

/** The same request unpacked: a small archive must not become an unbounded buffer. */
export const MAX_BODY_BYTES = 100_000_000

/** One event: larger ones make every page that shows them slow, and are usually a file sent by mistake. */
export const MAX_EVENT_BYTES = 1_000_000

/** Events of one request: a row costs some 75 bytes beyond its event, so a body of tiny events would grow many times over. */
export const MAX_EVENTS = 1_000_000

/** Refusals of one request that its sender is told one by one; beyond that only their number is known. */
export const MAX_TOLD_REFUSALS = 10_000

/** Levels of one event, the event itself being the first: keeps recursion and column trees shallow. */
export const MAX_DEPTH = 32

/** A sender's own id: it is an index key, not a document. */
export const MAX_ID_BYTES = 256

/** A field name; what the warehouses that events may later move to accept. */
export const MAX_NAME_BYTES = 128

/** Fields of one source. Senders that put ids into names would otherwise add columns without end. */
export const MAX_FIELDS = 2_000

/** A timestamp further ahead than this is a wrong clock or a wrong unit, and is not believed. */
export const MAX_AHEAD_US = 3_600_000_000

/** What is kept of a rejected event: enough to recognise it. */
export const MAX_REJECTED_BYTES = 10_000

/** Rejects of one request that are recorded one by one; only the newest 100 of a source are kept anyway. */
export const MAX_RECORDED_REJECTS = 100

/** Scanned bytes after which a large request lets other requests go on. */
export const BYTES_PER_TURN = 4_000_000

/** The same in time, where rules with slow regular expressions may make few bytes a lot of work. */
export const MS_PER_TURN = 25

/** Copies of one request, all targets together: a hundred rules would otherwise turn a body of 100 MB into 10 GB. */
export const MAX_COPIED_BYTES = 300_000_000
