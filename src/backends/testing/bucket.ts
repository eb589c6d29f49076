/**
 * A bucket for tests: takes and lists objects like S3 with the bucket in the path, and checks the signature of every
 * request (AWS Signature Version 4) with its own reading of the rules. Misbehaves on command.
 */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { portOf } from '../testing.ts'

const REGION = 'eu-test-1'
const KEY = { access_key_id: 'AKTEST', secret_access_key: 'a secret' }

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const given = /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(
    headers.authorization ?? '',
  )
  if (!given) return false
  const [, keyId, day = '', region = '', names = '', signature] = given
  const { pathname, searchParams } = new URL(url ?? '', 'http://bucket')
  const query = [...searchParams].map((pair) => pair.map(encodeURIComponent).join('=')).sort()
  const signedHeaders = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const hash = headers['x-amz-content-sha256'] ?? ''
  if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) return false
  const request = [method, pathname, query.join('&'), signedHeaders.join(''), names, hash].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n')
  const secret = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${KEY.secret_access_key}`)
  return keyId === KEY.access_key_id && region === REGION && signature === hmac(secret, text).toString('hex')
}

/** `accept`, a status, or no answer. */
export type BucketManner = 'accept' | 'hang' | number

export async function startBucket(name = 'logs') {
  const objects = new Map<string, Buffer>()
  let puts = 0
  let manner: (key: string) => BucketManner = () => 'accept'
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const refuse = (status: number, code: string, message: string): void =>
      void response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`)
    if (!isSigned(request, body)) return refuse(403, 'SignatureDoesNotMatch', 'The signature does not match.')
    const [, bucket, ...path] = new URL(request.url ?? '', 'http://bucket').pathname.split('/')
    if (bucket !== name) return refuse(404, 'NoSuchBucket', 'There is no such bucket.')
    const key = path.map(decodeURIComponent).join('/')
    const how = manner(key)
    if (how === 'hang') return
    if (how !== 'accept') return refuse(how, how < 500 ? 'AccessDenied' : 'SlowDown', 'Not now.')
    objects.set(key, body)
    puts += 1
    response.writeHead(200, { etag: '"x"' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    config: {
      ...{ s3_bucket: name, storage_region: REGION, path_style: true, ...KEY, batch_timeout: 1_000 },
      endpoint: `http://127.0.0.1:${portOf(server)}`,
    },
    objects,
    get puts() {
      return puts
    },
    behave(how: BucketManner | ((key: string) => BucketManner)) {
      manner = typeof how === 'function' ? how : () => how
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
