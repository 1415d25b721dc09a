import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makers, quickClocks } from './events-made.ts'
import { openMatrixSetup, type MatrixSetup } from './setup.ts'
import { isMadeElsewhere, listenToAll, type HeardEvents } from './heard-events.ts'
import { readTable, titleOf } from './table.ts'

describe('the matrix of callers: events of clocks and programs', () => {
  let setup: MatrixSetup
  let heardEvents: HeardEvents
  beforeAll(async () => {
    setup = await openMatrixSetup('sqlite', quickClocks)
    heardEvents = await listenToAll(setup)
    await Promise.all(makers.map((make) => make(setup)))
    await heardEvents.settle()
  })
  afterAll(async () => {
    await heardEvents?.[Symbol.asyncDispose]()
    await setup?.[Symbol.asyncDispose]()
  })

  const rows = readTable('events').filter(({ note }) => isMadeElsewhere(note))

  it.each(rows.map((row) => [titleOf(row), row] as const))('S9 %s', async (_title, row) => {
    expect(await heardEvents.check(row)).toEqual([])
  })
})
