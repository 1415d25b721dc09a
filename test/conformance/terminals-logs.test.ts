import { appendFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'

const lines = (what: string, count: number): string =>
  Array.from({ length: count }, (_, n) => `${what} row ${n}\n`).join('')

describe('a log that is rewritten', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('T2 is read from its beginning, even if nothing was added before', async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      const path = harness.at(`anew-${turn}.log`)
      await writeFile(path, lines('run1', 20))
      const { sessionId: id } = await harness.follow(path)
      await writeFile(path, lines('run2', 200))
      const { text, epoch } = await harness.prints(id, /run2 row 199\n/)
      expect([epoch, text]).toEqual([1, lines('run2', 200)])
    }
  })

  it('T2 is read from its beginning while it is followed, even if its length is the same', async () => {
    const path = harness.at('as-long.log')
    await writeFile(path, lines('run1', 20))
    const { sessionId: id } = await harness.follow(path)
    // It is followed: added text arrives.
    const other = harness.at('beside.log')
    await writeFile(other, '')
    const beside = await harness.follow(other)
    await appendFile(other, 'here\n')
    await harness.prints(beside.sessionId, /here/)
    await writeFile(path, lines('run2', 20))
    const { text } = await until(
      async () => {
        const read = await harness.updates(id)
        return read.text.endsWith('run2 row 19\n') ? read : null
      },
      { what: 'the rewritten log' },
    )
    expect(text).toBe(lines('run2', 20))
    expect(await harness.get(id)).toMatchObject({ epoch: 1 })
  })

  it('T3 is waiting at once if it already ends in a question, which is not recorded again', async () => {
    const path = harness.at('asks-already.log')
    await writeFile(path, `${lines('earlier', 2000)}token=ghp_${'a1B2'.repeat(9)}\nPassword: `)
    const { sessionId: id } = await harness.follow(path)
    const { detection } = await until(
      async () => {
        const seen = await harness.get(id)
        return seen.detection?.waiting ? seen : null
      },
      { what: 'a waiting log' },
    )
    expect(detection).toMatchObject({ promptText: 'Password:', promptType: 'password', secret: true })
    expect((await harness.updates(id)).text).toBe('')
    const { screen } = await harness.owner.get<{ screen: string }>(`/api/terminals/${id}/screen`)
    expect(screen).toContain('earlier row 1999')
    expect(screen).not.toContain('a1B2a1B2')
    await appendFile(path, '\nWelcome.\nDone.\n')
    await harness.prints(id, /Done/)
    expect((await harness.updates(id)).text).toBe('\nWelcome.\nDone.\n')
    await until(async () => (await harness.get(id)).detection?.waiting === false)
  })
})

describe('the list of terminals', () => {
  type Page = { terminals: { sessionId: string; state: string }[]; next: string | null }
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('T1 comes page by page, newest first, each terminal once, and the command line shows all', async () => {
    const ids: string[] = []
    for (let count = 0; count < 7; count += 1) {
      const path = harness.at(`page-${count}.log`)
      await writeFile(path, '')
      ids.unshift((await harness.follow(path)).sessionId)
    }
    const read = async (query: string) => {
      const pages: string[][] = []
      let before = ''
      do {
        const page: Page = await harness.owner.get(`/api/terminals?limit=3${query}${before}`)
        pages.push(page.terminals.map(({ sessionId }) => sessionId))
        before = page.next === null ? '' : `&before=${page.next}`
      } while (before !== '')
      return pages
    }
    expect(await read('')).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)])
    const stopped = ids.filter((_, index) => index % 2 === 0)
    for (const id of stopped) await harness.owner.post(`/api/terminals/${id}/stop`)
    expect((await read('&state=stopped')).flat()).toEqual(stopped)
    expect((await read('&state=active')).flat()).toEqual(ids.filter((id) => !stopped.includes(id)))
    const wrong = await harness.owner.send('GET', '/api/terminals?before=yesterday')
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('bad_cursor')])
    const { terminals } = JSON.parse((await harness.server.cli('terminals', '--all', '--json')).stdout) as Page
    expect(terminals.map(({ sessionId }) => sessionId)).toEqual(ids)
  })
})
