import type { Schemas } from '../ingest/schema/schemas.ts'
import { type Journal, openJournal } from '../journal/journal.ts'
import { addFields, type Fields, type FlatFields, flatFields, unknownFields } from '../model/fields.ts'
import { storedFields } from '../warehouse/warehouse.ts'

/**
 * Opens the journal and teaches the schemas every field that parts and journal know. Fields of `expected` that they do
 * not know are journaled first, as if an event had brought them.
 */
export async function openTheJournal(
  folders: { journal: string; warehouse: string },
  schemas: Schemas,
  expected: ReadonlyMap<string, FlatFields> = new Map(),
): Promise<Journal> {
  const stored = storedFields(folders.warehouse)
  const notBefore = Math.max(0, ...[...stored.values()].map(({ position }) => position))
  const journal = await openJournal({ dir: folders.journal, notBefore })
  const trees = new Map<string, Fields>()
  for (const [token, { fields }] of stored) addFields(treeOf(trees, token), fields)
  for await (const { header, body } of journal.frames(journal.reader('warehouse').position))
    if (header.kind === 'fields') addFields(treeOf(trees, header.source), JSON.parse(body.toString('utf8')))
  for (const [token, fields] of expected) {
    const added = unknownFields(treeOf(trees, token), fields)
    if (Object.keys(added).length === 0) continue
    const body = Buffer.from(JSON.stringify(added))
    await journal.append([{ kind: 'fields', source: token, count: 0, minUs: 0, maxUs: 0, body }])
    addFields(treeOf(trees, token), added)
  }
  for (const [token, tree] of trees) schemas.of(token, flatFields(tree))
  return journal
}

function treeOf(trees: Map<string, Fields>, token: string): Fields {
  const tree = trees.get(token) ?? new Map()
  trees.set(token, tree)
  return tree
}
