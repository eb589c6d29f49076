/** The shape of a tool: one file each, all alike. */
import type { z } from 'zod'

/** Asks the HTTP interface of the service with the token of whoever is served. Refusals are answers too. */
export type Ask = (method: 'GET' | 'POST', path: string, body?: object) => Promise<{ status: number; text: string }>

export type Tool<Input extends z.ZodObject> = {
  name: string
  title: string
  /** Read by a model: says what the tool gives, what it needs, and how to ask well. */
  description: string
  input: Input
  run(input: z.output<Input>, ask: Ask): Promise<object>
}

/** A refusal, in the words of the service. */
export class Refusal extends Error {}

type Json = Record<string, unknown>

export async function askJson(ask: Ask, ...question: Parameters<Ask>): Promise<Json> {
  const { status, text } = await ask(...question)
  const answer = read(text)
  if (status >= 200 && status < 300) return answer
  throw new Refusal(wordsOf(answer) ?? `The service answered ${status}.`)
}

export async function askList(ask: Ask, path: string): Promise<Json[]> {
  const { list } = await askJson(ask, 'GET', path)
  return Array.isArray(list) ? list.map(recordOf) : []
}

/** A list is put under a name, so that all answers are objects. */
function read(text: string): Json {
  try {
    const answer: unknown = JSON.parse(text)
    return Array.isArray(answer) ? { list: answer } : recordOf(answer)
  } catch {
    return {}
  }
}

function wordsOf({ error, errors, position }: Json): string | null {
  if (typeof error === 'string') return typeof position === 'number' ? `${error} (at ${position})` : error
  return errors === undefined ? null : JSON.stringify(errors)
}

export const recordOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

export const pick = (record: Json, names: string[]): Json =>
  Object.fromEntries(
    names.filter((name) => record[name] != null && record[name] !== '').map((name) => [name, record[name]]),
  )
