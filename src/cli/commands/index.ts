/** All commands, in the order that help lists them. Each is loaded when it is called: `serve` must stay small. */
import type { Command } from '../command.ts'

export const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serve,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  mcp: async () => (await import('./mcp.ts')).mcp,
  version: async () => (await import('./version.ts')).version,
  help: async () => (await import('./help.ts')).help,
}

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(COMMANDS).map((load) => load()))
