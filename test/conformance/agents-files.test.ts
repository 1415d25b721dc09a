import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import {
  notesOf,
  openAgentsHarness,
  plainAgent,
  read,
  toolsOf,
  type AgentSession,
  type OpenAsk,
  type AgentsHarness,
} from './agents-harness.ts'

type Reported = { data: { what: string; detail: string } }

describe('agents’ files and programs', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ config: `[acp]\nmax_sessions = 1000\n${plainAgent('plain')}` })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const reported = async () =>
    (await harness.api.get<{ events: Reported[] }>('/api/audit?type=security.reported&limit=100')).events
  const askAgain = (ask: { id: string }) => harness.api.get<OpenAsk>(`/api/asks/${ask.id}`)

  it('X7 fs/read_text_file reads inside the workspace, without an ask', async () => {
    const session = await harness.start()
    await mkdir(join(session.workspaceRoot, 'sub'))
    await writeFile(join(session.workspaceRoot, 'sub', 'notes.txt'), 'one\ntwo\n')
    expect(await harness.say(session, '/fsread sub/notes.txt')).toBe('fs/read_text_file sub/notes.txt: one\ntwo\n')
    expect(await harness.say(session, '/fsread sub/missing.txt')).toMatch(/refused: .*missing\.txt/)
  })

  it('X7 fs/write_text_file asks with a diff, is written when approved, and consumed', async () => {
    const session = await harness.start()
    const path = join(session.workspaceRoot, 'notes.txt')
    await writeFile(path, 'old\nkept\n')
    const turn = await harness.prompt(session, '/fswrite notes.txt new\nkept')
    const ask = await harness.openAsk(session)
    expect(ask).toMatchObject({
      kind: 'diff',
      origin: 'acp',
      subject: { filePath: path, files: [{ path, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }] },
    })
    expect(ask.subject['diff']).toMatch(/-old\n\+new\n kept/)
    expect(await read(path)).toBe('old\nkept\n')
    await harness.answer(ask, { outcome: 'approve' })
    await harness.settled(turn)
    expect(await read(path)).toBe('new\nkept\n')
    expect(await harness.said(session)).toBe('fs/write_text_file notes.txt: done')
    expect(await askAgain(ask)).toMatchObject({ status: 'consumed' })
  })

  it('X7 a rejected write leaves the file alone, and a new file has no hash', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/fswrite deep/new.txt hello')
    const ask = await harness.openAsk(session)
    expect(ask.subject).toMatchObject({ files: [{ hash: 'new_file' }] })
    await harness.answer(ask, { outcome: 'reject' })
    await harness.settled(turn)
    expect(await harness.said(session)).toMatch(/refused: .*rejected/)
    expect(await readdir(session.workspaceRoot)).toEqual([])
  })

  it('B8 a file that changed while its write was pending is left alone, and the ask fails', async () => {
    const session = await harness.start()
    const path = join(session.workspaceRoot, 'notes.txt')
    await writeFile(path, 'old\n')
    for (const [change, rest] of [
      [() => writeFile(path, 'somebody else’s\n'), 'somebody else’s\n'],
      [() => rm(path), null],
      [() => writeFile(path, 'made meanwhile\n'), 'made meanwhile\n'],
    ] as const) {
      const turn = await harness.prompt(session, '/fswrite notes.txt new')
      const ask = await harness.openAsk(session)
      await change()
      await harness.answer(ask, { outcome: 'approve' })
      await harness.settled(turn)
      expect(await harness.said(session)).toMatch(/refused: .*changed since the write was asked for/)
      expect(await read(path)).toBe(rest)
      expect(await askAgain(ask)).toMatchObject({ status: 'failed' })
    }
    expect(notesOf((await harness.detail(session)).messages)).toEqual([])
  })

  describe('R22 nothing outside the workspace, with a security event each time', () => {
    let session: AgentSession
    let outside: string
    beforeAll(async () => {
      session = await harness.start()
      outside = await harness.workspace()
      const inside = session.workspaceRoot
      await writeFile(join(outside, 'secret.txt'), 'secret')
      await mkdir(join(inside, '.git'))
      await writeFile(join(inside, '.git', 'config'), 'as it was\n')
      await symlink(outside, join(inside, 'parent'))
      await symlink(join(outside, 'secret.txt'), join(inside, 'file'))
      await symlink(join(outside, 'not-there-yet.txt'), join(inside, 'dangling'))
      await symlink('../..', join(inside, 'up'))
    })

    const attempt = async (script: string) => {
      const before = (await reported()).length
      const turn = await harness.prompt(session, script)
      const isOver = async () => (await harness.detail(session)).queue.length === 0
      await until(async () => (await isOver()) || (await harness.detail(session)).waiting)
      // Whatever a person tells it.
      if (!(await isOver())) await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
      await harness.settled(turn)
      const said = await harness.said(session)
      expect(said).toMatch(/: refused: /)
      expect((await reported()).slice(0, -before || undefined).map(({ data }) => data.what)).toContain('path_refused')
      expect((await reported()).length).toBeGreaterThan(before)
      return said
    }

    it.each(['../OUT/secret.txt', 'ABS/secret.txt', 'parent/secret.txt', 'file', 'dangling', '/etc/passwd'])(
      'R22 reading %s',
      async (path) => {
        const real = path.replace('OUT', outside.split('/').at(-1)!).replace('ABS', outside)
        expect(await attempt(`/fsread ${real}`)).not.toMatch(/root:|: secret/)
      },
    )

    it.each([
      '../OUT/new.txt',
      'ABS/new.txt',
      'parent/new.txt',
      'parent/sub/new.txt',
      'file',
      'dangling',
      'up/new.txt',
      '.git/config',
      '.git/hooks/pre-commit',
      'sub/../.git/config',
      '.GIT/config',
    ])('R22 writing %s', async (path) => {
      const real = path.replace('OUT', outside.split('/').at(-1)!).replace('ABS', outside)
      await attempt(`/fswrite ${real} taken over`)
      expect(await readdir(outside)).toEqual(['secret.txt'])
      expect(await read(outside, 'secret.txt')).toBe('secret')
      expect(await read(session.workspaceRoot, '.git', 'config')).toBe('as it was\n')
      expect((await harness.detail(session)).waiting).toBe(false)
    })

    it('R22 a parent that becomes a link while the ask is open: approved, and still nothing outside is touched', async () => {
      const parent = join(session.workspaceRoot, 'swapped')
      await mkdir(parent)
      const before = (await reported()).length
      const turn = await harness.prompt(session, '/fswrite swapped/new.txt taken over')
      const ask = await harness.openAsk(session)
      await rm(parent, { recursive: true })
      await symlink(outside, parent)
      await harness.answer(ask, { outcome: 'approve' })
      await harness.settled(turn)
      expect(await harness.said(session)).toMatch(/refused/)
      expect(await readdir(outside)).toEqual(['secret.txt'])
      expect((await reported()).length).toBeGreaterThan(before)
      // A refused apply is approved again, and can be retried.
      expect((await askAgain(ask)).status).not.toBe('consumed')
    })
  })

  it('X7 an agent’s terminal is a command ask, runs in the workspace, and returns output and exit code', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/term echo here: $(pwd); exit 3')
    const ask = await harness.openAsk(session)
    expect(ask).toMatchObject({ kind: 'command', origin: 'acp', subject: { cwd: session.workspaceRoot } })
    expect(ask.subject['command']).toContain('echo here:')
    await harness.answer(ask, { outcome: 'approve' })
    await harness.settled(turn)
    expect(await harness.said(session)).toContain(`ended with code 3\nhere: ${session.workspaceRoot}\n`)
    const [tool] = toolsOf((await harness.detail(session)).messages)
    expect(tool).toMatchObject({ status: 'failed', content: [{ type: 'terminal' }] })
  })

  it('X7 a rejected command does not run', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/term touch made')
    await harness.answer(await harness.openAsk(session), { outcome: 'reject' })
    await harness.settled(turn)
    expect(await harness.said(session)).toMatch(/refused: .*not approved/)
    expect(await readdir(session.workspaceRoot)).toEqual([])
  })

  it('X7 long output keeps its end, within the limit, and is marked as cut', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/term seq 1 60000')
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.settled(turn)
    const said = await harness.said(session)
    expect(said).toMatch(/ended with code 0 \(output cut\)/)
    expect(said.endsWith('59999\n60000\n')).toBe(true)
    expect(said.length).toBeLessThan(66 * 1024)
  })

  it('X7 cancelling the turn ends the command of its terminal', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/term sleep 1000')
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await until(() => harness.running(session).length > 1, { what: 'the command' })
    await harness.api.post(`/api/sessions/${session.id}/turn/cancel`)
    await harness.settled(turn)
    await until(() => harness.running(session).length === 1, { what: 'the end of the command' })
    expect((await harness.detail(session)).status).toBe('active')
  })

  it('B8 the content before an approved edit is kept; a file that differs from what was approved raises an alert', async () => {
    const session = await harness.start()
    await writeFile(join(session.workspaceRoot, 'notes.txt'), 'before\n')
    const turn = await harness.prompt(session, '/cheat notes.txt fair')
    const ask = await harness.openAsk(session)
    await harness.answer(ask, { outcome: 'approve' })
    await harness.settled(turn)
    expect(await read(session.workspaceRoot, 'notes.txt')).toBe('fair\nThis line was not in the diff.\n')
    const note = await until(async () =>
      notesOf((await harness.detail(session)).messages).find((text) => text.includes('differs from what was approved')),
    )
    expect(note).toContain('notes.txt')
    const alerts = async () =>
      (await harness.api.get<{ events: { data: object }[] }>(`/api/audit?type=session.alerted&session=${session.id}`))
        .events
    expect(await until(async () => ((await alerts()).length > 0 ? alerts() : null))).toMatchObject([
      { data: { id: session.id, what: 'write_differs' } },
    ])
    const kept = join(harness.server.home, 'undo')
    const points = await Promise.all((await readdir(kept)).map((name) => read(kept, name, 'index.json')))
    const point = points.find((text) => text?.includes(ask.id))
    expect(JSON.parse(point ?? 'null')).toMatchObject({ askId: ask.id, sessionId: session.id, files: [{ kept: true }] })
    const contents = await Promise.all((await readdir(kept)).map((name) => read(kept, name, '0')))
    expect(contents).toContain('before\n')
  })

  it('B8 a file that matches what was approved raises no alert', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/write notes.txt fair')
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.settled(turn)
    await harness.say(session, '/say Later.')
    expect(notesOf((await harness.detail(session)).messages)).toEqual([])
  })

  it('B8 what was approved before a restart is not asked for again, but is still compared', async () => {
    const session = await harness.start({ agent: 'plain' })
    const [fair, unfair] = ['fair.txt', 'unfair.txt'].map((name) => join(session.workspaceRoot, name)) as [
      string,
      string,
    ]
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }]
    const permission = (toolCallId: string, ...paths: string[]) => {
      const content = paths.map((path) => ({ type: 'diff', path, oldText: null, newText: 'as shown\n' }))
      return [
        'session/request_permission',
        { toolCall: { toolCallId, title: toolCallId, kind: 'edit', content }, options },
      ]
    }
    const write = ['fs/write_text_file', { path: fair, content: 'as shown\n' }]
    const rounds = [[permission('both', fair, unfair)], [permission('more')], [write]]
    const turn = await harness.prompt(session, `calls ${JSON.stringify(rounds)}`)
    const first = await harness.openAsk(session)
    await harness.answer(first, { outcome: 'approve' })
    const second = await until(async () => {
      const [ask] = await harness.openAsks(session)
      return ask?.id === first.id ? null : ask
    })
    await harness.server.restart()
    await writeFile(unfair, 'something else\n')
    await harness.answer(second, { outcome: 'approve' })
    await harness.settled(turn)
    expect(await read(fair)).toBe('as shown\n')
    await until(async () => notesOf((await harness.detail(session)).messages).some((text) => text.includes(unfair)), {
      what: 'the alert',
    })
    expect(notesOf((await harness.detail(session)).messages).join()).not.toContain(`${fair} `)
  })
})
