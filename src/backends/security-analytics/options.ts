import { z } from 'zod'
import { httpUrl, text } from '../fields.ts'

/** A part of an address or a name. */
const word = text.regex(/^[\w-]+$/, 'is invalid')

export const Options = z
  .strictObject({
    region: word.meta({ title: 'Region', description: 'Such as us or europe-west3.' }),
    project_number: z.string().trim().regex(/^\d+$/, 'must be a number').meta({ title: 'Project number' }),
    instance_id: z.uuid().meta({ title: 'Instance', description: 'A UUID.' }),
    feed_id: z
      .uuid()
      .meta({ title: 'Feed', description: 'A UUID. The split delimiter of the feed must be a newline.' }),
    api_key: text.meta({ title: 'API key' }),
    secret: text.meta({ title: 'Secret of the feed' }),
    base_url: httpUrl
      .meta({ title: 'Host', description: 'Scheme and host of the feed; that of the region when not given.' })
      .optional(),
  })
  .meta({ title: 'Security analytics', description: 'A feed of a security-analytics service: one event a line.' })

export function feedUrl(config: z.infer<typeof Options>): string {
  const { region, project_number, instance_id, feed_id } = config
  const base = config.base_url ?? `https://${region}-chronicle.googleapis.com`
  const instance = `projects/${project_number}/locations/${region}/instances/${instance_id}`
  return `${base.replace(/\/+$/, '')}/v1alpha/${instance}/feeds/${feed_id}:importPushLogs`
}

/** The key goes under the name the feed's own cloud expects, too. */
export function feedHeaders({ api_key, secret }: z.infer<typeof Options>, url: string): Record<string, string> {
  const own = { 'x-cloud-api-key': api_key, 'x-webhook-access-key': secret }
  return new URL(url).hostname.endsWith('.googleapis.com') ? { ...own, 'x-goog-api-key': api_key } : own
}
