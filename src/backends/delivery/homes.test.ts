import { afterEach, expect, test } from 'vitest'
import type { Source } from '../../model/source.ts'
import { startHttpReceiver, startWorld, until } from '../testing.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(options: Parameters<typeof startWorld>[0] = {}) {
  const receiver = await startHttpReceiver()
  const world = await startWorld(options)
  stops.push(receiver.stop, world.stop)
  const source = await world.newSource()
  const home = await world.newBackend('webhook', { url: receiver.url })
  async function move(to: { id: number } | null): Promise<void> {
    await world.catalog.sources.move(source, to?.id ?? null)
    await world.delivery.refresh()
  }
  return { receiver, world, source, home, move }
}

test('a home that is too far behind loses nothing: there is no room for more until it has caught up', async () => {
  const { receiver, world, source, home, move } = await start({ segmentBytes: 20_000, maxHeldBytes: 50_000 })
  await move(home)
  receiver.behave(500)
  const sent: string[] = []
  for (let i = 0; i < 20; i++) sent.push(...(await world.append(source, 10, { text: 'x'.repeat(900) })))
  expect(world.delivery.hasRoom(source.token)).toBe(false)
  expect(world.delivery.health().homes).toMatchObject({ sources: 1, lagEvents: 200 })
  await world.restart()
  expect(world.delivery.hasRoom(source.token)).toBe(false)
  receiver.behave('accept')
  await until(() => world.delivery.hasRoom(source.token) && world.delivery.health().homes.lagEvents === 0)
  expect([receiver.ids(), (await world.delivery.status(home)).dropped]).toEqual([sent, 0])
})

test('a source that moves leaves what was stored before on the way to its former home, over a restart too', async () => {
  const told: [string, boolean][] = []
  const { receiver, world, source, home, move } = await start({
    onMoved: async (_source: string, isAway: boolean) => void told.push(['moved', isAway]),
  })
  const other = await startHttpReceiver()
  stops.push(other.stop)
  const [before] = await world.append(source, 1)
  await move(home)
  receiver.behave(500)
  const first = await world.append(source, 3)
  await move(await world.newBackend('webhook', { url: other.url }))
  const second = await world.append(source, 2)
  await until(() => other.ids().length === 2)
  other.behave(500)
  const third = await world.append(source, 1)
  await move(null)
  await world.append(source, 1)
  await world.restart()
  receiver.behave('accept')
  other.behave('accept')
  await until(() => world.journal.readerNames().every((name) => !name.startsWith('home:')))
  // How far each was meant to go is not remembered over a restart, so they may get later ones too.
  expect([receiver.ids().slice(0, 3), other.ids().slice(0, 3)]).toEqual([first, [...second, ...third]])
  expect(receiver.ids()).not.toContain(before)
  expect(told.map(([, isAway]) => isAway)).toEqual([true, false])
  expect(isAway(world, source)).toBe(false)
})

test('what waits for a home that is emptied is not sent', async () => {
  const { receiver, world, source, home, move } = await start()
  await move(home)
  receiver.behave(500)
  await world.append(source, 5)
  await world.delivery.empty(source.token, async () => receiver.behave('accept'))
  const [later] = await world.append(source, 1)
  await until(() => receiver.ids().length > 0)
  expect(receiver.ids()).toEqual([later])
})

const isAway = ({ delivery }: Awaited<ReturnType<typeof startWorld>>, { token }: Source): boolean =>
  delivery.isAway(token)
