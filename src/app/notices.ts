/** What sources tell of themselves, from the settings and the parts it listens to. */
import type { Logger } from 'pino'
import type { Journal } from '../journal/journal.ts'
import type { FlatFields } from '../model/fields.ts'
import { createNotices, type Parts as NoticeParts, type Notices } from '../notices/notices.ts'

type Parts = Omit<NoticeParts, 'onError'> & {
  journal: Pick<Journal, 'onFrame'>
  /** Whether fields were brought by another node, which tells of them. */
  isLearned(body: Uint8Array): boolean
  log: Logger
}

export function createTheNotices({ journal, isLearned, log, ...parts }: Parts): Notices {
  const notices = createNotices({ ...parts, onError: (error) => log.warn({ err: error }, 'a notice was not sent') })
  const stopListening = journal.onFrame(({ kind, source, body }) => {
    if (kind !== 'fields' || !notices.wantsFields(source) || isLearned(body)) return
    const fields: FlatFields = JSON.parse(Buffer.from(body).toString('utf8'))
    notices.fields(source, fields)
  })
  return {
    ...notices,
    stop() {
      stopListening()
      return notices.stop()
    },
  }
}
