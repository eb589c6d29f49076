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
      .refine((host) => !isForbidden(host), 'must not be a metadata address'),
    port: z.int().min(0).max(65_535),
    tls: z.boolean().default(false),
    /** Covers header and body of a message, not the length in front of it. */
    max_message_bytes: z.int().min(1, 'must be greater than 0').default(50_000),
    structured_data: z.string().regex(STRUCTURED_DATA, 'invalid format').optional(),
    cipher_key: z.string().refine(isKey, 'must be a base64 encoded 32 byte key').optional(),
    ca_cert: checked(certificateProblem).optional(),
    client_cert: checked(certificateProblem).optional(),
    client_key: checked(keyProblem).optional(),
  })
  .superRefine(({ client_cert, client_key }, context) => {
    if (client_cert !== undefined && client_key === undefined)
      context.addIssue({ code: 'custom', path: ['client_key'], message: 'is required with client_cert' })
  })

export type SyslogOptions = z.infer<typeof Options>
