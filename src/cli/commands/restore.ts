import { resolve } from 'node:path'
import { openBackup, unpacked } from '../../backup/read.ts'
import { restore as restoreBackup } from '../../backup/restore.ts'
import { readTar } from '../../backup/tar.ts'
import { verify } from '../../backup/verify.ts'
import type { Command } from '../command.ts'
import { bytesText, writeJson, writeLine } from '../print.ts'

export const restore: Command = {
  name: 'restore',
  summary: 'Make a data folder of a backup',
  usage: '<backup>',
  about:
    'The folder must be empty or not there yet. Every file is compared with its checksum before anything is put in place;\n' +
    'a backup that is damaged or was cut short is refused. - reads an archive from standard input.',
  options: {
    data: { type: 'string', value: 'folder', summary: 'The data folder to make; default MILLRACE_DATA, then ./data' },
    check: { type: 'boolean', summary: 'Only compare the backup with its checksums' },
  },
  isRemote: false,
  arguments: { min: 1, max: 1 },
  examples: ['millrace restore millrace.tar.zst --data /var/lib/millrace', 'millrace restore --check millrace.tar.zst'],
  async run({ args, text, is, env, stdin, stdout }) {
    const [from = ''] = args
    const entries = from === '-' ? readTar(await unpacked(stdin)) : await openBackup(from)
    const dataDir = resolve(text('data') ?? (env.MILLRACE_DATA || './data'))
    const list = is('check') ? await verify(entries) : await restoreBackup(entries, dataDir)
    const bytes = list.files.reduce((sum, file) => sum + file.bytes, 0)
    const { made_at, files, catalog, secret_key } = list
    if (is('json')) {
      const about = { made_at, files: files.length, bytes, catalog, secret_key }
      await writeJson(stdout, is('check') ? about : { data: dataDir, ...about })
      return 0
    }
    const size = `${files.length} files, ${bytesText(bytes)}, as of ${made_at}`
    await writeLine(stdout, is('check') ? `The backup is whole: ${size}.` : `${dataDir} is ready: ${size}.`)
    if (catalog === 'postgres')
      await writeLine(stdout, 'The catalog is not in it: restore the dump of its database, and set DATABASE_URL.')
    if (!secret_key && !is('check'))
      await writeLine(
        stdout,
        'The key of stored secrets is not in it: set MILLRACE_SECRET_KEY, or put secret.key there.',
      )
    return 0
  },
}
