import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makers, quickClocks } from './events-made.ts'
import { openGround, type Ground } from './ground.ts'
import { isMadeElsewhere, listenToAll, type Hearing } from './hearing.ts'
import { readTable, titleOf } from './table.ts'

describe('the matrix of callers: events of clocks and programs', () => {
  let ground: Ground
  let hearing: Hearing
  beforeAll(async () => {
    ground = await openGround('sqlite', quickClocks)
    hearing = await listenToAll(ground)
    await Promise.all(makers.map((make) => make(ground)))
    await hearing.settle()
  })
  afterAll(async () => {
    await hearing?.[Symbol.asyncDispose]()
    await ground?.[Symbol.asyncDispose]()
  })

  const rows = readTable('events').filter(({ note }) => isMadeElsewhere(note))

  it.each(rows.map((row) => [titleOf(row), row] as const))('S9 %s', async (_title, row) => {
    expect(await hearing.check(row)).toEqual([])
  })
})
