/** Paths are kept in full; `m.` is how `metadata.` is typed and printed. */
export function fullPath(typed: string): string {
  return /^m\../.test(typed) ? `metadata.${typed.slice(2)}` : typed
}

export function shortPath(path: string): string {
  return /^metadata\../.test(path) ? `m.${path.slice('metadata.'.length)}` : path
}
