/** Every limit of the syslog listener, with its reason. Sizes are bytes. */

/** One message: what fits a datagram. Longer ones are refused and passed over. */
export const MAX_MESSAGE_BYTES = 64 * 1024

/** A frame beyond this is no long message but a sender whose framing we do not understand; the connection is closed. */
export const MAX_PASSED_BYTES = 4 * 1024 * 1024

/** Open connections, TLS or not. Further ones are closed at once. */
export const MAX_CONNECTIONS = 1_000

/** A connection that is silent this long is closed. Long, because a sender may lose what it writes into a closed one. */
export const IDLE_MS = 3_600_000

/** Bytes that wait to be stored, for connections and for datagrams each. Then connections wait, and datagrams are shed. */
export const MAX_HELD_BYTES = 32 * 1024 * 1024

/** Messages wait this long for others, to be stored together: their sender waits for no answer. */
export const GATHER_MS = 10

/** Messages and bytes that are stored together at most. */
export const MAX_GATHERED = 4_096
export const MAX_GATHERED_BYTES = 512 * 1024

/** What is kept of a message that is too long. */
export const KEPT_OF_REFUSED_BYTES = 10_000

/** Asked of the system for the datagram socket; Linux gives at most `net.core.rmem_max`. */
export const RECEIVE_BUFFER_BYTES = 16 * 1024 * 1024
