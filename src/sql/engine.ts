/** The engines that warehouse SQL is written for. */
export type Engine = 'duckdb' | 'postgres' | 'clickhouse'
