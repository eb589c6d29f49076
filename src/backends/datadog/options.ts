import { z } from 'zod'
import { httpUrl, text } from '../fields.ts'

const SITES = {
  US1: 'datadoghq.com',
  US3: 'us3.datadoghq.com',
  US5: 'us5.datadoghq.com',
  EU: 'datadoghq.eu',
  AP1: 'ap1.datadoghq.com',
  AP2: 'ap2.datadoghq.com',
  UK1: 'uk1.datadoghq.com',
  'US1-FED': 'ddog-gov.com',
  'US2-FED': 'us2.ddog-gov.com',
} as const

export const Options = z
  .strictObject({
    api_key: text.meta({ title: 'API key' }),
    region: z.enum(Object.keys(SITES)).meta({ title: 'Region', description: 'The site your organisation is on.' }),
    url: httpUrl
      .meta({ title: 'Address', description: 'Instead of the address of the region, for a proxy in between.' })
      .optional(),
  })
  .meta({ title: 'Datadog', description: 'The log intake of Datadog.' })

const isRegion = (region: string): region is keyof typeof SITES => region in SITES

export function intakeOf({ region, url }: { region: string; url?: string | undefined }): string {
  if (url !== undefined) return url
  if (!isRegion(region)) throw new Error(`there is no region ${region}`)
  return `https://http-intake.logs.${SITES[region]}/api/v2/logs`
}
