/** All commands, in the order that help lists them. Each is loaded when it is called: `serve` must stay small. */
import type { Command } from '../command.ts'

export const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serve,
  login: async () => (await import('./login.ts')).login,
  logout: async () => (await import('./logout.ts')).logout,
  send: async () => (await import('./send.ts')).send,
  tail: async () => (await import('./tail.ts')).tail,
  search: async () => (await import('./search.ts')).search,
  query: async () => (await import('./query.ts')).query,
  sources: async () => (await import('./sources.ts')).sources,
  tokens: async () => (await import('./tokens.ts')).tokens,
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
  backends: async () => (await import('./backends.ts')).backends,
  export: async () => (await import('./export.ts')).exportEvents,
  import: async () => (await import('./import.ts')).importEvents,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  doctor: async () => (await import('./doctor.ts')).doctor,
  'reset-password': async () => (await import('./reset-password.ts')).resetPassword,
  mcp: async () => (await import('./mcp.ts')).mcp,
  completion: async () => (await import('./completion.ts')).completion,
  version: async () => (await import('./version.ts')).version,
  help: async () => (await import('./help.ts')).help,
}

export const allCommands = (): Promise<Command[]> => Promise.all(Object.values(COMMANDS).map((load) => load()))
