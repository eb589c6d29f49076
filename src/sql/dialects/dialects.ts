import type { Engine } from '../engine.ts'
import { clickhouse } from './clickhouse/clickhouse.ts'
import type { Dialect } from './dialect.ts'
import { duckdb } from './duckdb.ts'
import { postgres } from './postgres/postgres.ts'

export const DIALECTS: Readonly<Record<Engine, Dialect>> = { duckdb, postgres, clickhouse }
