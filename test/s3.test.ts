/** The built service writes into a bucket of another's making (`test/s3`), and DuckDB reads the files back. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { startService, until } from './support/service.ts'

const SERVER = join(import.meta.dirname, 's3/node_modules/s3rver')

async function startBucket() {
  const folder = mkdtempSync(join(tmpdir(), 'bucket-'))
  const code = `
    const S3rver = require(${JSON.stringify(SERVER)})
    const directory = ${JSON.stringify(folder)}
    new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'logs' }] })
      .run().then(({ port }) => console.log(port))`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()))
    child.once('exit', () => reject(new Error('the S3 server ended')))
  })
  return {
    endpoint: `http://127.0.0.1:${port}`,
    /** Its objects are files of this name. */
    files: () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.parquet._S3rver_object'))
        .map((name) => join(folder, name)),
    stop() {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

test.skipIf(!existsSync(SERVER))(
  'stored events are in the bucket, each once, with their types',
  async () => {
    const bucket = await startBucket()
    const service = await startService()
    const call = async (path: string, body: object): Promise<ReturnType<typeof JSON.parse>> => {
      const headers = { 'content-type': 'application/json' }
      const answer = await service.fetch(path, { method: 'POST', body: JSON.stringify(body), headers })
      expect(answer.ok, await answer.clone().text()).toBe(true)
      return answer.json()
    }
    try {
      const source = await call('/api/sources', { name: 'web shop' })
      const config = {
        ...{ s3_bucket: 'logs', storage_region: 'us-east-1', access_key_id: 'S3RVER', secret_access_key: 'S3RVER' },
        ...{ endpoint: bucket.endpoint, path_style: true, prefix: 'archive', batch_timeout: 1_000 },
      }
      const backend = await call('/api/backends', { name: 'archive', type: 's3', config })
      expect(backend.config.secret_access_key).toBe('REDACTED')
      expect(await call(`/api/backends/${backend.token}/test`, {})).toEqual({ 'connected?': true })
      await call(`/api/sources/${source.token}/backends/${backend.token}`, {})
      const batch = Array.from({ length: 500 }, (_, i) => ({
        ...{ message: `number ${i}`, status: 200 + i, metadata: { tags: ['a', 'b'], ok: i % 2 === 0 } },
        timestamp: `2026-11-14T0${i % 3}:00:00Z`,
      }))
      await call(`/api/logs?source=${source.token}`, { batch })
      await until(() => bucket.files().length === 3)
      const connection = await (await DuckDBInstance.create(':memory:')).connect()
      const files = bucket.files().map((file) => `'${file}'`)
      const answer = await connection.runAndReadAll(
        `SELECT count(*) AS events, count(DISTINCT id) AS ids, sum(status) AS total, count(*) FILTER (metadata.ok) AS ok,
        min("timestamp")::VARCHAR AS first, any_value(typeof(metadata)) AS type FROM read_parquet([${files}])`,
      )
      connection.closeSync()
      expect(answer.getRowObjectsJson()).toEqual([
        {
          ...{ events: '500', ids: '500', total: String(500 * 200 + (500 * 499) / 2), ok: '250' },
          ...{ first: '2026-11-14 00:00:00', type: 'STRUCT(tags VARCHAR[], ok BOOLEAN)' },
        },
      ])
      expect(bucket.files()[0]).toContain('archive/source=web%20shop/date=2026-11-14/hour=0')
    } finally {
      await service.remove()
      bucket.stop()
    }
  },
  60_000,
)
