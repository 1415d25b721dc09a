import { describe, expect, it } from 'vitest'
import { createInLine } from './in-line.ts'

describe('work in line', () => {
  it('waits for what came before under the same key, and for nothing else', async () => {
    const inLine = createInLine()
    const first = Promise.withResolvers<void>()
    const done: string[] = []
    const work = (name: string, until?: Promise<void>) => async () => {
      await until
      done.push(name)
    }
    const both = [inLine('a', work('a1', first.promise)), inLine('a', work('a2'))]
    await inLine('b', work('b'))
    expect(done).toEqual(['b'])
    first.resolve()
    await Promise.all(both)
    expect(done).toEqual(['b', 'a1', 'a2'])
  })

  it('goes on after a failure, which only its own caller hears of', async () => {
    const inLine = createInLine()
    const failed = inLine('a', () => Promise.reject(new Error('the disk is full')))
    const next = inLine('a', async () => 'done')
    await expect(failed).rejects.toThrow('the disk is full')
    expect(await next).toBe('done')
  })
})
