const START = '/sources'

/** Where to go after the log-in: an address of this interface, never of another site. */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !/^\/(?![/\\])/.test(next)) return START
  return next.startsWith('/login') || next === '/' ? START : next
}
