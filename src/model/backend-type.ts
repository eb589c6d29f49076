/** A type of backend as forms need to know it: made from its options, which stay the one truth of what a config may hold. */
import { z } from 'zod'

export const BackendField = z.object({
  name: z.string(),
  label: z.string(),
  help: z.string().nullable(),
  /** `lines` is text of several lines, `pairs` an object of texts such as headers. */
  input: z.enum(['text', 'lines', 'number', 'switch', 'choice', 'pairs']),
  required: z.boolean(),
  /** Never shown again; reads as REDACTED. */
  secret: z.boolean(),
  /** What it is when not given; null when it is then absent. */
  default: z.union([z.string(), z.number(), z.boolean()]).nullable(),
  choices: z.array(z.string()),
  min: z.number().nullable(),
  max: z.number().nullable(),
  max_length: z.int().nullable(),
  /** Taken only while another field has one of these values. */
  only_with: z.object({ field: z.string(), values: z.array(z.string()) }).nullable(),
})
export type BackendField = z.infer<typeof BackendField>

export const BackendType = z.object({
  type: z.string(),
  label: z.string(),
  about: z.string().nullable(),
  fields: z.array(BackendField),
})
export type BackendType = z.infer<typeof BackendType>
