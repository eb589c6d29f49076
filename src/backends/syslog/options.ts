import { z } from 'zod'
import { isForbidden } from '../address.ts'
import { certificateProblem, keyProblem } from './pem.ts'

/** `[id name="value" …]`, one or more; names of 1 to 32 printable characters; `"`, `\` and `]` in values escaped. */
const NAME = String.raw`[!#-<>-\\^-~]{1,32}`
const PARAMETER = String.raw` ${NAME}="(?:[^"\\\]]|\\["\\\]])*"`
const STRUCTURED_DATA = new RegExp(`^(?:\\[${NAME}(?:${PARAMETER})+\\])+$`, 'su')

const isKey = (value: string): boolean => {
  const bytes = Buffer.from(value, 'base64')
  return bytes.length === 32 && bytes.toString('base64') === value
}

const checked = (problem: (value: string) => string | null) =>
  z.string().superRefine((value, context) => {
    const message = problem(value)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })

export const Options = z
  .strictObject({
    host: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .regex(/^[^\s/@]+$/, 'is invalid')
      .refine((host) => !isForbidden(host), 'must not be a metadata address')
      .meta({ title: 'Host', description: 'A name or an address.' }),
    port: z.int().min(0).max(65_535).meta({ title: 'Port' }),
    tls: z.boolean().meta({ title: 'TLS', description: 'The connection is encrypted.' }).default(false),
    max_message_bytes: z
      .int()
      .min(1, 'must be greater than 0')
      .meta({
        title: 'Longest message in bytes',
        description: 'Header and body of a message, not the length in front of it. Longer bodies are cut.',
      })
      .default(50_000),
    structured_data: z
      .string()
      .regex(STRUCTURED_DATA, 'invalid format')
      .meta({ title: 'Structured data', description: 'Put into every message: [id name="value"]' })
      .optional(),
    cipher_key: z
      .string()
      .refine(isKey, 'must be a base64 encoded 32 byte key')
      .meta({ title: 'Cipher key', description: '32 bytes in base64: bodies are encrypted with AES-256-GCM.' })
      .optional(),
    ca_cert: checked(certificateProblem)
      .meta({
        title: 'CA certificate',
        description: 'PEM; who may have signed the certificate of the receiver.',
        lines: true,
      })
      .optional(),
    client_cert: checked(certificateProblem)
      .meta({ title: 'Client certificate', description: 'PEM', lines: true })
      .optional(),
    client_key: checked(keyProblem)
      .meta({ title: 'Client key', description: 'PEM; needed with a client certificate.', lines: true })
      .optional(),
  })
  .superRefine(({ client_cert, client_key }, context) => {
    if (client_cert !== undefined && client_key === undefined)
      context.addIssue({ code: 'custom', path: ['client_key'], message: 'is required with client_cert' })
  })
  .meta({
    title: 'Syslog',
    description: 'RFC 5424 over TCP, with octet counting; the body of a message is the event as JSON.',
  })

export type SyslogOptions = z.infer<typeof Options>
