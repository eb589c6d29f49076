import { recordOf } from '../api.ts'
import { bytesText } from '../print.ts'
import { recordCommand } from '../records.ts'

export const sources = recordCommand({
  kind: 'sources',
  summary: 'List, show, create, change and delete sources',
  about: 'A source is named by its name or UUID. Deleting one deletes its events.',
  line({ name, token, retention_days, metrics }) {
    const { total, rate, bytes } = recordOf(metrics)
    return { name, token, events: total, per_second: rate, size: bytesText(Number(bytes ?? 0)), days: retention_days }
  },
  examples: [
    'millrace sources',
    'millrace sources create my-app --set retention_days=30',
    "millrace sources update my-app --set 'drop_lql_string=m.level:debug'",
  ],
})
