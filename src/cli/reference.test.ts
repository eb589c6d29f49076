import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allCommands, COMMANDS } from './commands/index.ts'
import { reference } from './reference.ts'

test('docs/reference/cli.md tells of every command and option as they are (vitest -u writes it anew)', async () => {
  const page = `${reference(await allCommands())}\n`
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/reference/cli.md'))
})

test('a command is called what its file and its place in the list say, and no option is taken twice', async () => {
  for (const [name, load] of Object.entries(COMMANDS)) {
    const command = await load()
    expect(command.name).toBe(name)
    const shorts = Object.values(command.options).flatMap(({ short }) => short ?? [])
    expect(new Set(shorts).size).toBe(shorts.length)
    expect(shorts).not.toContain('h')
  }
})
