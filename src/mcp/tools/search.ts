import { z } from 'zod'
import { sourceToken } from '../find.ts'
import { askJson, type Tool } from '../tool.ts'

export const EVENTS_MAX = 200
const EVENTS_USUAL = 50

const input = z.strictObject({
  source: z.string().min(1).describe('Name or UUID of the source'),
  lql: z.string().default('').describe('What to look for, in LQL; empty finds the newest events'),
  limit: z.number().int().min(1).max(EVENTS_MAX).default(EVENTS_USUAL).describe('How many events at most'),
  before: z.string().optional().describe('`next` of the page before, to get older events'),
})

export const search: Tool<typeof input> = {
  name: 'search',
  title: 'Search events',
  description:
    'Finds events of one source, newest first. LQL in short: words and "quoted text" must be in the message (case ' +
    'matters); ~regex; m.level:error tests metadata.level; m.status:>=500; m.status:(500,502); m.path:~"^/v1"; ' +
    'm.user:NULL; -m.level:debug excludes; OR, NOT and ( ) work; t:last@1h or t:2026-11-01..2026-11-03 or ' +
    't:>2026-11-15T10:00:00Z limits the time. Example: m.level:error timeout t:last@30minutes. Timestamps in answers are ' +
    'microseconds since 1970 (UTC).',
  input,
  async run({ source, lql, limit, before }, ask) {
    const token = await sourceToken(ask, source)
    const asked = new URLSearchParams({ lql, limit: String(limit), force: 'true', ...(before ? { before } : {}) })
    return askJson(ask, 'GET', `/api/sources/${token}/search?${asked}`)
  },
}
