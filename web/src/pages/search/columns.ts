/** The fields a person chose to see beside the message, kept in this browser for each source. */
const keyOf = (token: string): string => `millrace.columns.${token}`

export const keptColumns = (token: string): string[] =>
  (localStorage.getItem(keyOf(token)) ?? '').split(',').filter((path) => path !== '')

export function keepColumns(token: string, columns: readonly string[]): void {
  if (columns.length === 0) localStorage.removeItem(keyOf(token))
  else localStorage.setItem(keyOf(token), columns.join(','))
}
