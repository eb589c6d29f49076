/** A day of a small shop, for pictures: requests with a rhythm of day and night, jobs, a database, and a bad quarter of an hour. */
export const SOURCES = [
  { name: 'shop.api', service_name: 'shop', favorite: true, description: 'requests of customers', retention_days: 30 },
  { name: 'shop.worker', service_name: 'shop', description: 'orders, mails, invoices' },
  { name: 'postgres', service_name: 'database', description: 'the database of the shop' },
  { name: 'edge', description: 'the content network' },
]

export type Event = { message: string; timestamp: string; metadata: Record<string, unknown> }

const DAY_MS = 86_400_000
const PATHS = ['/', '/products', '/products/:id', '/cart', '/checkout', '/api/orders', '/api/session', '/search']
const REGIONS = ['eu-central', 'us-east', 'ap-south']
const JOBS = ['send invoice', 'capture payment', 'reserve stock', 'send receipt', 'rebuild recommendations']
const STATEMENTS = ['select * from products', 'insert into orders', 'update stock', 'select * from sessions']

/** The same events every time: a small generator of numbers instead of chance. */
function createDice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** `at` runs from 0 to 1 over the day that ends now. */
export function createShop(nowMs: number): (at: number) => { source: string; event: Event } {
  const dice = createDice(7)
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(dice() * values.length)] ?? values[0]!
  return (at) => {
    const timestamp = new Date(nowMs - DAY_MS + at * (DAY_MS - 2_000)).toISOString()
    // A deploy that went wrong, for a quarter of an hour.
    const isBad = at > 0.86 && at < 0.87
    const roll = dice()
    if (roll < 0.62) {
      const path = pick(PATHS)
      const status =
        isBad && dice() < 0.5 ? 503 : dice() < 0.012 ? 500 : dice() < 0.05 ? 404 : path === '/cart' ? 201 : 200
      const ms = Math.round((8 + dice() ** 4 * 400 + (isBad ? 900 : 0)) * 10) / 10
      const method = path === '/cart' || path === '/checkout' ? 'POST' : 'GET'
      return {
        source: 'shop.api',
        event: {
          message: `${method} ${path} ${status} in ${ms} ms`,
          timestamp,
          metadata: {
            level: status >= 500 ? 'error' : status >= 400 ? 'warning' : 'info',
            ...{ method, path, status, ms, region: pick(REGIONS), customer: Math.floor(dice() * 4_000) },
          },
        },
      }
    }
    if (roll < 0.8) {
      const job = pick(JOBS)
      const isFailed = dice() < (isBad ? 0.4 : 0.02)
      const order = 10_000 + Math.floor(at * 9_000)
      return {
        source: 'shop.worker',
        event: {
          message: isFailed ? `${job} for order ${order} failed: connection refused` : `${job} for order ${order} done`,
          timestamp,
          metadata: { level: isFailed ? 'error' : 'info', job, order, tries: isFailed ? 3 : 1 },
        },
      }
    }
    if (roll < 0.92) {
      const statement = pick(STATEMENTS)
      const ms = Math.round(dice() ** 6 * 2_000)
      return {
        source: 'postgres',
        event: {
          message: `duration: ${ms} ms  statement: ${statement}`,
          timestamp,
          metadata: { level: ms > 1_000 ? 'warning' : 'debug', statement, ms, database: 'shop' },
        },
      }
    }
    const isHit = dice() < 0.9
    return {
      source: 'edge',
      event: {
        message: `${isHit ? 'HIT' : 'MISS'} /assets/${Math.floor(dice() * 60)}.js`,
        timestamp,
        metadata: {
          level: 'info',
          cache: isHit ? 'hit' : 'miss',
          region: pick(REGIONS),
          bytes: Math.floor(dice() * 90_000),
        },
      },
    }
  }
}
