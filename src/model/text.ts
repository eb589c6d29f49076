import { z } from 'zod'

/** Text for a column of the catalog: not empty, and without the zero character, which PostgreSQL cannot hold. */
export const plainText = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !text.includes('\0'), 'is invalid')
