/** Every limit of the forward listener, with its reason; a message may have what a request may have. */
export { MAX_WIRE_BYTES as MAX_MESSAGE_BYTES } from '../../ingest/limits.ts'

/** Open connections. Further ones are closed at once. */
export const MAX_CONNECTIONS = 500

/** A connection that is silent this long is closed; senders open another. */
export const IDLE_MS = 3_600_000

/** The same before a sender has shown that it knows the shared key: strangers must not fill the connections. */
export const HANDSHAKE_MS = 10_000

/** Bytes that a sender may have waiting before then: all it has to say is a PING of a few hundred. */
export const MAX_STRANGER_BYTES = 16 * 1024

/** Bytes of messages that are not whole yet, of all connections. One that needs more is closed, and sends again. */
export const MAX_HELD_BYTES = 64 * 1024 * 1024

/** A name for a chunk: senders use 24 characters. */
export const MAX_CHUNK_LENGTH = 256
