/**
 * What the tests know of an example: what it stores, and how its reader learns that it stored nothing.
 *
 * Programs and commands are run as they stand. A configuration whose program is not here is replayed: it is read, and the
 * request that its program would make of it is sent.
 */
export type Example = {
  page: string
  heading: string
  language: string
  /** The stored events in the order of their messages; every field is compared. */
  stored: object[]
  /** What the reader sees when the token is wrong; null when the sender has no way to tell. */
  refused: RegExp | null
  /** Another form of the example that the page tells of in words, such as another package. */
  variant?: { name: string; of(text: string): string }
  /** Sends from a thread of its own, and is seen to do so only while its program runs, as a server does. */
  isServer?: boolean
  /** The request that a program makes of this configuration. */
  replay?(config: string): Replayed | Replayed[]
}

export type Replayed = {
  url: string
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** The answer that this program takes for a success. */
  status: number
}
