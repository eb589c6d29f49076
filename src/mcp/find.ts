import { isUuid } from '../base/ids.ts'
import { type Ask, askList, Refusal } from './tool.ts'

/** The UUID of a source by its name or UUID. */
export async function sourceToken(ask: Ask, source: string): Promise<string> {
  if (isUuid(source)) return source.toLowerCase()
  const sources = await askList(ask, '/api/sources')
  const found = sources.find(({ name }) => name === source)
  if (typeof found?.token === 'string') return found.token
  const names = sources.map(({ name }) => String(name))
  throw new Refusal(
    `There is no source ${JSON.stringify(source)}. ` +
      (names.length > 0 ? `There are: ${names.slice(0, 50).join(', ')}.` : 'There are no sources yet.'),
  )
}
