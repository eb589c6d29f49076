/** A query is typed by a person or built by a page; what is longer is a mistake or an attack. */
export const MAX_TEXT = 10_000

/** Reading, matching and the engine's own parser all recurse once per group. */
export const MAX_DEPTH = 50

/** Clauses and listed values together: each is work per event, and text in the engine's statement. */
export const MAX_TERMS = 1_000

/**
 * In memory a pattern looks at so many characters that this is its size times their number. Time is linear in both, up
 * to 40 ns a step for patterns made to be slow: without a bound one event of 1 MB could hold up all others for minutes.
 * A pattern of 20 instructions still sees 50,000 characters.
 */
export const MAX_MATCH_STEPS = 1_000_000

/** The engine compiles a pattern per query and thread; see `regex.ts` for what else is refused. */
export const MAX_PATTERN = 2_000
