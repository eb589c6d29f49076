/** Queries to begin with, over a source that is there. */
export type Example = { label: string; sql: string }

export function examplesFor(source: string): Example[] {
  const table = `\`${source}\``
  const lately = 'timestamp > timestamp_sub(current_timestamp(), interval 1 hour)'
  return [
    {
      label: 'Newest events',
      sql: `select timestamp, event_message\nfrom ${table}\nwhere ${lately}\norder by timestamp desc\nlimit 100`,
    },
    {
      label: 'Events by minute',
      sql: `select timestamp_trunc(timestamp, minute) as minute, count(*) as events\nfrom ${table}\nwhere ${lately}\ngroup by minute\norder by minute`,
    },
    {
      label: 'Most frequent messages',
      sql: `select event_message, count(*) as times\nfrom ${table}\nwhere ${lately}\ngroup by event_message\norder by times desc\nlimit 20`,
    },
  ]
}
