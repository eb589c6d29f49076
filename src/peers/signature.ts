/**
 * How nodes know each other: whoever has the secret key of the deployment is one. A request carries its time and an HMAC of
 * time, method and address, made with a key that is derived for this alone; it is good for a minute.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

export const SIGNATURE_HEADER = 'x-millrace-node'

/** Also how far clocks of nodes may differ. */
const GOOD_FOR_MS = 60_000

export type Signatures = {
  sign(method: string, path: string): string
  /** Null when it is good, otherwise why it is not. */
  objection(header: unknown, method: string, path: string): string | null
}

export function createSignatures({ secretKey, nowMs }: { secretKey: Buffer; nowMs(): number }): Signatures {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'requests between nodes', 32))
  const mac = (time: string, method: string, path: string): Buffer =>
    createHmac('sha256', key).update(`${time}\n${method}\n${path}`).digest()

  return {
    sign(method, path) {
      const time = String(nowMs())
      return `${time}.${mac(time, method, path).toString('hex')}`
    },
    objection(header, method, path) {
      const [, time = '', hex = ''] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(String(header)) ?? []
      if (time === '' || !timingSafeEqual(Buffer.from(hex, 'hex'), mac(time, method, path)))
        return 'This address is for nodes of the same deployment, with the same MILLRACE_SECRET_KEY.'
      if (Math.abs(nowMs() - Number(time)) > GOOD_FOR_MS)
        return `The clocks of the two nodes differ by more than ${GOOD_FOR_MS / 1000} s.`
      return null
    },
  }
}
