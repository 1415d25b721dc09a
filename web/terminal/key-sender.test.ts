import { describe, expect, it } from 'vitest'
import { createKeySender } from './key-sender.ts'

describe('typed input', () => {
  it('is sent in order, one request at a time, with waiting keys together', async () => {
    const sent: string[][] = []
    const gates: (() => void)[] = []
    const idle = Promise.withResolvers<void>()
    const typist = createKeySender(
      (keys) => {
        sent.push(keys)
        if (sent.length === 2) idle.resolve()
        return new Promise<void>((resolve) => gates.push(resolve))
      },
      () => undefined,
    )
    typist.press(['l'])
    typist.press(['s'])
    typist.press(['enter'])
    expect(sent).toEqual([['l']])
    gates[0]?.()
    await idle.promise
    expect(sent).toEqual([['l'], ['s', 'enter']])
  })

  it('is dropped after a refusal, and can continue later', async () => {
    const sent: string[][] = []
    const told = Promise.withResolvers<unknown>()
    const typist = createKeySender(async (keys) => {
      sent.push(keys)
      if (keys[0] === 'x') throw new Error('no')
    }, told.resolve)
    typist.press(['x'])
    typist.press(['y'])
    expect(await told.promise).toBeInstanceOf(Error)
    typist.press(['z'])
    expect(sent).toEqual([['x'], ['z']])
  })
})
