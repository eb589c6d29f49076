import { expect, test } from 'vitest'
import { createApi, Problem, problemOf } from './request.ts'

function answering(status: number, body: string) {
  const calls: { path: string; init: RequestInit }[] = []
  let unauthorized = 0
  const api = createApi({
    csrfToken: () => 'forged-not',
    onUnauthorized: () => {
      unauthorized += 1
    },
    fetch: async (path, init) => {
      calls.push({ path: String(path), init: init ?? {} })
      return new Response(status === 204 ? null : body, { status })
    },
  })
  return { api, calls, unauthorized: () => unauthorized }
}

test('a change carries the token against forged requests, a look does not', async () => {
  const { api, calls } = answering(200, '{}')
  await api.get('/api/sources')
  await api.put('/api/sources/1', { name: 'a' })
  expect(calls[0]?.init.headers).not.toHaveProperty('x-csrf-token')
  expect(calls[1]?.init.headers).toMatchObject({ 'x-csrf-token': 'forged-not', 'content-type': 'application/json' })
})

test('a refusal is a value with the status and the sentence of the server', async () => {
  const { api } = answering(404, '{"error":"There is no such source."}')
  const outcome = await api.request('GET', '/api/sources/1')
  expect(outcome).toMatchObject({ ok: false, problem: { status: 404, message: 'There is no such source.' } })
  await expect(api.get('/api/sources/1')).rejects.toBeInstanceOf(Problem)
})

test('an invalid record says field by field what is wrong', () => {
  const problem = problemOf(422, { errors: { name: ["can't be blank"], retention_days: ['must be at most 3650'] } })
  expect(problem.fields.name).toEqual(["can't be blank"])
  expect(problem.message).toBe("name can't be blank; retention_days must be at most 3650.")
})

test('only a lost session leads to the login page; a wrong password does not', async () => {
  const { api, unauthorized } = answering(401, '{"error":"Unauthorized"}')
  await api.request('POST', '/api/session', { body: {} })
  expect(unauthorized()).toBe(0)
  await api.request('GET', '/api/sources')
  expect(unauthorized()).toBe(1)
})

test('an answer that is no JSON still becomes a sentence', async () => {
  const { api } = answering(502, '<html>bad gateway</html>')
  await expect(api.get('/api/sources')).rejects.toMatchObject({ status: 502, message: 'The service answered 502.' })
})
