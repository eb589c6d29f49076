import { expect, test } from 'vitest'
import { describeError } from './sql.ts'

test.each([
  [
    'Binder Error: Referenced column "shoe_size" not found in FROM clause!\nCandidate bindings: "id"\n\nLINE 1: …',
    'unknown field shoe_size',
  ],
  ['Binder Error: Could not find key "hat" in struct\n\nCandidate Entries: "user"', 'unknown field hat'],
  [
    "Conversion Error: Could not convert string 'n/a' to INT64 when casting from source column num",
    'cannot read "n/a" as INT64: use SAFE_CAST to get NULL instead',
  ],
  [
    'Binder Error: Cannot compare values of type VARCHAR and INTEGER_LITERAL - an explicit cast is required',
    'cannot compare STRING with INT64: add a CAST',
  ],
  [
    'INTERRUPT Error: Interrupted!',
    'the query took too long (more than 25 s): narrow the time range or read fewer fields',
  ],
  [
    'Out of Memory Error: failed to allocate data of size 1.0 GiB (953 MiB/953 MiB used)',
    'the query needs too much memory: narrow the time range, select fewer fields or aggregate',
  ],
  ['Invalid Input Error: array index 9 is out of bounds', 'array index 9 is out of bounds'],
  ['Invalid Input Error: division by zero', 'division by zero'],
  ['Invalid Input Error: missing ]: [a-', 'the regular expression is not valid: missing ]'],
  [
    'IO Error: Cannot open file "/srv/data/parts/2025/x.parquet": No such file',
    'Cannot open file "a data file": No such file',
  ],
  ['Binder Error: Table "t3" is odd beside source_0 and cte_1', 'Table "the table" is odd beside web and the table'],
  [
    "Binder Error: No function matches the given name and argument types 'bq_host(BIGINT)'. You might need…",
    'HOST does not take (INT64)',
  ],
])('%s', (message, expected) => {
  const fault = describeError(message, { names: { source_0: 'web' }, timeoutMs: 25_000 })
  expect(fault.message).toBe(expected)
  expect(fault.code).toBe('query_failed')
  expect(fault.notes).toBe(message)
})
