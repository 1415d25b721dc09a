import { describe, expect, it } from 'vitest'
import { createKeyedQueue, createSerialQueue } from './serial-queue.ts'

const recorder = () => {
  const done: string[] = []
  const work = (name: string, until?: Promise<void>) => async () => {
    await until
    done.push(name)
    return name
  }
  return { done, work }
}

describe('a serial queue', () => {
  it('starts each piece when the previous one is done', async () => {
    const queue = createSerialQueue()
    const first = Promise.withResolvers<void>()
    const { done, work } = recorder()
    const all = [queue.run(work('a', first.promise)), queue.run(work('b')), queue.run(() => done.push('c'))]
    await new Promise(setImmediate)
    expect(done).toEqual([])
    first.resolve()
    expect(await Promise.all(all)).toEqual(['a', 'b', 3])
    expect(done).toEqual(['a', 'b', 'c'])
  })

  it('continues after a failure, and tells only the caller of the failed piece', async () => {
    const queue = createSerialQueue()
    const failed = queue.run(() => Promise.reject(new Error('the disk is full')))
    const thrown = queue.run(() => {
      throw new Error('at once')
    })
    const next = queue.run(() => 'done')
    await expect(failed).rejects.toThrow('the disk is full')
    await expect(thrown).rejects.toThrow('at once')
    expect(await next).toBe('done')
    await expect(queue.idle()).resolves.toBeUndefined()
  })

  it('is idle when everything added so far is done, and says whether more was added', async () => {
    const queue = createSerialQueue()
    const { done, work } = recorder()
    const before = queue.idle()
    expect(queue.idle()).toBe(before)
    void queue.run(work('a'))
    expect(queue.idle()).not.toBe(before)
    await queue.idle()
    expect(done).toEqual(['a'])
  })

  it('waits for work started with take until it is ended', async () => {
    const queue = createSerialQueue()
    const { done, work } = recorder()
    const end = await queue.take()
    const next = queue.run(work('next'))
    const last = queue.take().then((endLast) => {
      done.push('last')
      endLast()
    })
    await new Promise(setImmediate)
    expect(done).toEqual([])
    end()
    end()
    await Promise.all([next, last, queue.idle()])
    expect(done).toEqual(['next', 'last'])
  })

  it('can be added to by its own work', async () => {
    const queue = createSerialQueue()
    const { done, work } = recorder()
    await queue.run(() => void queue.run(work('later')))
    await queue.idle()
    expect(done).toEqual(['later'])
  })
})

describe('a keyed queue', () => {
  it('waits only for earlier work under the same key', async () => {
    const queue = createKeyedQueue()
    const first = Promise.withResolvers<void>()
    const { done, work } = recorder()
    const both = [queue.run('a', work('a1', first.promise)), queue.run('a', work('a2'))]
    await queue.run('b', work('b'))
    expect(done).toEqual(['b'])
    first.resolve()
    await Promise.all(both)
    expect(done).toEqual(['b', 'a1', 'a2'])
  })

  it('continues after a failure, and tells only the caller of the failed piece', async () => {
    const queue = createKeyedQueue()
    const failed = queue.run('a', () => Promise.reject(new Error('the disk is full')))
    const next = queue.run('a', async () => 'done')
    await expect(failed).rejects.toThrow('the disk is full')
    expect(await next).toBe('done')
  })

  it('is idle under one key, or under all', async () => {
    const queue = createKeyedQueue<number>()
    const first = Promise.withResolvers<void>()
    const { done, work } = recorder()
    void queue.run(1, work('one', first.promise))
    void queue.run(2, work('two'))
    await queue.idle(2)
    expect(done).toEqual(['two'])
    await queue.idle(3)
    first.resolve()
    await queue.allIdle()
    expect(done).toEqual(['two', 'one'])
  })
})
