/** Reads YAML with a package of the clients' tests, which is there where those are installed. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Of every shape; looking into them is what the tests are for. */
export type Tree = ReturnType<typeof JSON.parse>

const reader = join(import.meta.dirname, '../clients/node_modules/yaml')

export const hasYaml = existsSync(reader)

export const parseAll = (text: string): Tree[] =>
  createRequire(import.meta.url)(reader)
    .parseAllDocuments(text, { merge: true, strict: true, uniqueKeys: true })
    .map((document: { errors: Error[]; toJS(): Tree }) => {
      if (document.errors[0]) throw document.errors[0]
      return document.toJS()
    })
