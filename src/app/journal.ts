import type { Schemas } from '../ingest/schema/schemas.ts'
import { type Journal, openJournal } from '../journal/journal.ts'
import { addFields, type Fields, flatFields } from '../model/fields.ts'
import { storedFields } from '../warehouse/warehouse.ts'

/** Opens the journal and teaches the schemas every field that parts and journal know. */
export async function openTheJournal(
  folders: { journal: string; warehouse: string },
  schemas: Schemas,
): Promise<Journal> {
  const stored = storedFields(folders.warehouse)
  const notBefore = Math.max(0, ...[...stored.values()].map(({ position }) => position))
  const journal = await openJournal({ dir: folders.journal, notBefore })
  const trees = new Map<string, Fields>()
  for (const [token, { fields }] of stored) addFields(treeOf(trees, token), fields)
  for await (const { header, body } of journal.frames(journal.reader('warehouse').position))
    if (header.kind === 'fields') addFields(treeOf(trees, header.source), JSON.parse(body.toString('utf8')))
  for (const [token, tree] of trees) schemas.of(token, flatFields(tree))
  return journal
}

function treeOf(trees: Map<string, Fields>, token: string): Fields {
  const tree = trees.get(token) ?? new Map()
  trees.set(token, tree)
  return tree
}
