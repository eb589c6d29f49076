/**
 * Where a reader is in the journals of several nodes, as it keeps it: the number of each node with the cursor there,
 * `1:4096.7-2:812`. It means the same to every node, so a reader may come back to another one.
 */
export type Places = Map<number, string>

const PLACE = /^(\d{1,9}):(\d{1,16}(?:\.\d{1,9})?)$/

export const printPlaces = (places: Places): string =>
  [...places].map(([node, cursor]) => `${node}:${cursor}`).join('-')

/** Null when the text is none. */
export function readPlaces(text: string): Places | null {
  const places: Places = new Map()
  for (const part of text.trim().split('-')) {
    const [, node, cursor] = PLACE.exec(part) ?? []
    if (node === undefined || cursor === undefined) return null
    places.set(Number(node), cursor)
  }
  return places
}
