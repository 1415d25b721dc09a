import { expect, it, vi } from 'vitest'
import type { Keeper } from '../../../keeper-client/client.ts'
import { fail, ok } from '../../../lib/result.ts'
import { createExitWaits } from './exit-waits.ts'

function setUp() {
  const dispose = vi.fn<() => void>()
  const listen = vi.fn<Keeper['listen']>(async () => ok({ [Symbol.dispose]: dispose }))
  const closing = new AbortController()
  const exits = createExitWaits({ listen }, closing.signal)
  const exit = (code: number) => listen.mock.lastCall?.[2].exit({ code, signal: null })
  return { exits, listen, dispose, closing, exit }
}

it('all waiters for a program share one listener', async () => {
  const { exits, listen, dispose, exit } = setUp()
  const waits = [exits.of({ id: 'a', to: 3 }), exits.of({ id: 'a', to: 5 })]
  exit(2)
  expect(await Promise.all(waits)).toEqual([ok({ code: 2, signal: null }), ok({ code: 2, signal: null })])
  expect(listen).toHaveBeenCalledExactlyOnceWith('a', 3, expect.anything())
  expect(dispose).toHaveBeenCalledOnce()
})

it('an exit known from elsewhere resolves the waiters too', async () => {
  const { exits, dispose } = setUp()
  const wait = exits.of({ id: 'a', to: 0 })
  exits.ended('b', { code: 1, signal: null })
  exits.ended('a', { code: null, signal: 'SIGKILL' })
  expect(await wait).toEqual(ok({ code: null, signal: 'SIGKILL' }))
  expect(dispose).toHaveBeenCalledOnce()
})

it('no listener is left when the server stops', async () => {
  const { exits, dispose, closing } = setUp()
  void exits.of({ id: 'a', to: 0 })
  closing.abort()
  await vi.waitFor(() => expect(dispose).toHaveBeenCalledOnce())
})

it('an unknown program can be asked about again', async () => {
  const { exits, listen, exit } = setUp()
  const gone = fail({ kind: 'not_found', code: 'child_not_found', message: 'There is none.' })
  listen.mockResolvedValueOnce(gone)
  expect(await exits.of({ id: 'a', to: 0 })).toEqual(gone)
  const wait = exits.of({ id: 'a', to: 0 })
  exit(0)
  expect(await wait).toEqual(ok({ code: 0, signal: null }))
})
