import { z } from 'zod'
import { basic, bothOrNeither, headers, httpUrl } from '../fields.ts'

export const Options = z.strictObject({ url: httpUrl, headers, ...basic }).superRefine(bothOrNeither)
