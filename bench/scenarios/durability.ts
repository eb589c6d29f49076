/**
 * Power goes in the moment the last answer arrives: the whole process tree gets SIGKILL from the load process itself.
 * After a new start every acknowledged event must be there, and none twice. What this cannot show is the loss of the
 * page cache; that is what the fdatasync before each answer is for.
 */
import { eventFile } from '../data/files.ts'
import { sendLoad } from '../load/client.ts'
import { judge, thousands } from '../table.ts'
import { createSource, loadJob, query, type Scenario, SOURCE, startMeasured, whole } from './scenario.ts'

export const durability: Scenario = {
  name: 'durability',
  async run({ durableEvents }) {
    const service = await startMeasured()
    try {
      await createSource(service)
      const file = await eventFile(0, durableEvents)
      const { events: acknowledged } = await sendLoad(loadJob(service, file, { firstId: 0, killAtEnd: service.pid }))
      await service.restart('SIGKILL')
      const sql = `select count(*) as n, count(distinct id) as ids from \`${SOURCE}\` where ${whole(durableEvents)}`
      const [row] = await query(service, sql)
      const stored = Number(row?.n)
      const alive = Number(row?.ids)
      return [
        {
          scenario: 'alive after kill -9',
          ours: `${thousands(alive)} of ${thousands(acknowledged)}, ${thousands(stored - alive)} twice`,
          target: '100 %, none twice',
          verdict: judge(acknowledged > 0 && alive === acknowledged && stored === alive),
          scale: 'of 200,000: VictoriaLogs 0, Loki 194,589, ClickHouse 200,000 (no fsync)',
          figures: { acknowledged, alive, stored },
        },
      ]
    } finally {
      await service.remove()
    }
  },
}
