import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKeyedFetch, createReads } from './keyed-fetch.ts'
import type { LoginKey } from './login-key.ts'

const ann = { key: 'a'.repeat(43), userId: 'ann' }
const annAgain = { key: 'b'.repeat(43), userId: 'ann' }
const ben = { key: 'c'.repeat(43), userId: 'ben' }

describe('a request of the page', () => {
  let kept: LoginKey | null
  let sent: { path: string; key: string | undefined }[]
  let valid: string
  const keyed = () => createKeyedFetch(async () => kept)
  beforeEach(() => {
    kept = ann
    sent = []
    valid = ann.key
    vi.stubGlobal('fetch', async (path: string, { headers }: { headers: Record<string, string> }) => {
      const key = headers['x-signalbox-key']
      sent.push({ path, key })
      return new Response(null, { status: key === valid ? 200 : 401 })
    })
  })
  afterEach(() => vi.unstubAllGlobals())

  it('has the login key, read once', async () => {
    const read = vi.fn<() => Promise<LoginKey | null>>().mockResolvedValue(ann)
    const fetch = createKeyedFetch(read)
    expect((await fetch('/api/me')).status).toBe(200)
    expect((await fetch('/api/me', { headers: { accept: 'x' } })).status).toBe(200)
    expect(read).toHaveBeenCalledTimes(1)
  })

  it.each(['https://evil.example/api/', '//evil.example/api/x', '/\\evil.example', '/apix', '/', 'api/me'])(
    'never goes to %s',
    async (path) => {
      await expect(keyed()(path)).rejects.toThrow('only to the API')
      expect(sent).toEqual([])
    },
  )

  it('continues with the new key if the same person signed in again in another tab', async () => {
    const fetch = keyed()
    await fetch('/api/me')
    kept = annAgain
    valid = annAgain.key
    expect((await fetch('/api/me')).status).toBe(200)
    expect(sent.map(({ key }) => key)).toEqual([ann.key, ann.key, annAgain.key])
  })

  it('is not sent as another person who signed in meanwhile', async () => {
    const fetch = keyed()
    await fetch('/api/me')
    kept = ben
    valid = ben.key
    for (let time = 0; time < 2; time += 1)
      expect((await fetch('/api/asks/1/answer', { method: 'POST' })).status).toBe(401)
    expect(sent.map(({ key }) => key)).toEqual([ann.key, ann.key, ann.key])
  })

  it('without a key is sent without one, once', async () => {
    kept = null
    expect((await keyed()('/api/me')).status).toBe(401)
    expect(sent).toEqual([{ path: '/api/me', key: undefined }])
  })
})

describe('reads during sign-out', () => {
  const open = () => {
    const sent: { path: string; signal: AbortSignal | null | undefined; answer: (response: Response) => void }[] = []
    const reads = createReads(
      (path, init = {}) =>
        new Promise((answer, reject) => {
          init.signal?.addEventListener('abort', () => reject(new Error('broken off')))
          sent.push({ path, signal: init.signal, answer })
        }),
    )
    return { ...reads, sent, paths: () => sent.map(({ path }) => path) }
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  it('are cancelled, and none is sent afterwards', async () => {
    const { fetch, pausedFor, sent, paths } = open()
    void fetch('/api/inbox')
    await settled()
    const leaving = pausedFor(() => fetch('/api/logout', { method: 'POST' }))
    void fetch('/api/events')
    await settled()
    expect(sent[0]?.signal?.aborted).toBe(true)
    expect(paths()).toEqual(['/api/inbox', '/api/logout'])
    sent[1]?.answer(new Response())
    await leaving
    void fetch('/api/me')
    await settled()
    expect(paths()).toEqual(['/api/inbox', '/api/logout'])
  })

  it('complete if signing out failed, cancelled ones too', async () => {
    const { fetch, pausedFor, sent, paths } = open()
    const inbox = fetch('/api/inbox')
    await settled()
    const failed = Promise.withResolvers<void>()
    const leaving = pausedFor(() => failed.promise)
    const me = fetch('/api/me')
    failed.reject(new Error('no connection'))
    await expect(leaving).rejects.toThrow('no connection')
    await settled()
    expect(paths().toSorted()).toEqual(['/api/inbox', '/api/inbox', '/api/me'])
    for (const { answer } of sent) answer(new Response())
    expect([(await inbox).status, (await me).status]).toEqual([200, 200])
  })

  it('that their caller cancels end at once', async () => {
    const { fetch } = open()
    const caller = new AbortController()
    const inbox = fetch('/api/inbox', { signal: caller.signal })
    await settled()
    caller.abort()
    await expect(inbox).rejects.toThrow('broken off')
  })
})
