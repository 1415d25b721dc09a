import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, type AgentsHarness } from '../conformance/agents-harness.ts'
import { approve, openMcpHarness, type Agent, type McpHarness } from '../conformance/mcp-harness.ts'
import { exportLog } from '../conformance/work.ts'

/** Replaces the workspace as an agent could; returns the directory that must not change. */
type Swap = (root: string) => Promise<string>

async function elsewhere(root: string): Promise<string> {
  const outside = `${root}-outside`
  await mkdir(join(outside, '.signalbox'), { recursive: true })
  await writeFile(join(outside, 'secret.txt'), 'secret\n')
  await writeFile(join(outside, 'a.txt'), 'outside\n')
  await writeFile(join(outside, '.signalbox/settings.json'), JSON.stringify({ enabled: true, commands: ['echo hi'] }))
  return outside
}

const swaps: readonly (readonly [name: string, swap: Swap])[] = [
  [
    'a link',
    async (root) => {
      const outside = await elsewhere(root)
      await rename(root, `${root}-moved`)
      await symlink(outside, root)
      return outside
    },
  ],
  [
    'another directory',
    async (root) => {
      const outside = await elsewhere(root)
      await rename(root, `${root}-moved`)
      await rename(outside, root)
      return root
    },
  ],
]

const untouched = async (outside: string) => {
  expect(readdirSync(outside).toSorted()).toEqual(['.signalbox', 'a.txt', 'secret.txt'])
  expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('outside\n')
}

describe.each(swaps)('S2 a workspace whose root has become %s', (_name, swap) => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({
      config: '[commands]\nmake = { command = "echo made > made.txt", shell = true }\nhi = "echo hi"\n',
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function approved(agent: Agent): Promise<string> {
    const input = { title: 'Write it', diff: 'hello\n', file_path: 'b.txt' }
    const { ask, done } = await agent.begin('ask_approval', input)
    await harness.answer(ask, approve)
    await done
    return ask.id
  }
  const violations = async (root: string) =>
    (await exportLog(harness.owner)).filter(
      ({ type, data }) => type.startsWith('security.') && JSON.stringify(data).includes(root),
    )

  it('S2 is not written to by accept_diff, and people can see the attempt', async () => {
    await using agent = await harness.connect()
    const request_id = await approved(agent)
    const outside = await swap(agent.place.path)
    expect(await agent.call('accept_diff', { request_id })).toMatchObject({
      isError: true,
      error_code: 'path_violation',
    })
    await untouched(outside)
    expect((await violations(agent.place.path)).length).toBeGreaterThan(0)
  })

  it('S2 is not written to by an undo, nor after a restart of the server', async () => {
    await using agent = await harness.connect()
    const request_id = await approved(agent)
    await agent.call('accept_diff', { request_id })
    const outside = await swap(agent.place.path)
    await writeFile(join(outside, 'b.txt'), 'hello\n')
    await harness.crash()
    expect(await harness.owner.refused('POST', `/api/asks/${request_id}/undo`, {})).toMatchObject({
      status: 403,
      code: 'path_violation',
    })
    expect(await readFile(join(outside, 'b.txt'), 'utf8')).toBe('hello\n')
  })

  it('S2 gets no checkpoint and no restore', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'inside\n')
    const { id } = await harness.owner.post<{ id: string }>(`/api/sessions/${agent.sessionId}/checkpoints`, {})
    const outside = await swap(agent.place.path)
    expect(await agent.call('create_checkpoint', { label: 'x' })).toMatchObject({
      isError: true,
      error_code: 'path_violation',
    })
    for (const body of [{}, { confirm: true }])
      expect(await harness.owner.refused('POST', `/api/checkpoints/${id}/restore`, body)).toMatchObject({
        code: 'path_violation',
      })
    await untouched(outside)
  })

  it('S2 gives no policy, and no registered command runs there', async () => {
    await using agent = await harness.connect()
    const outside = await swap(agent.place.path)
    const wanted = { tool_name: 'echo hi', kind: 'terminal_command' }
    const { ask, done } = await agent.begin('check_auto_approve', wanted)
    expect(ask.status).toBe('open')
    await harness.answer(ask, { outcome: 'reject' })
    await done
    expect(
      await harness.owner.refused('POST', `/api/sessions/${agent.sessionId}/run`, { alias: 'make' }),
    ).toMatchObject({
      code: 'path_violation',
    })
    await untouched(outside)
  })

  it('S2 can be worked in again by a new session, but not where a link leads', async () => {
    await using agent = await harness.connect()
    await swap(agent.place.path)
    const isLink = lstatSync(agent.place.path).isSymbolicLink()
    const connected = await harness.connect({ place: agent.place }).catch((error: unknown) => String(error))
    expect(typeof connected === 'string' ? connected : 'connected').toMatch(
      isLink ? /workspace_not_permitted/ : /^connected$/,
    )
    if (typeof connected === 'string') return
    await using next = connected
    expect(next.sessionId).not.toBe(agent.sessionId)
    const request_id = await approved(next)
    expect(await next.call('accept_diff', { request_id })).toMatchObject({ status: 'applied' })
    expect(await next.place.read('b.txt')).toBe('hello\n')
  })
})

describe.each(swaps)('S2 an agent that Signalbox runs, whose workspace has become %s', (_name, swap) => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('S2 reads and writes nothing there through Signalbox, and starts no terminal there', async () => {
    const session = await harness.start()
    const root = session.workspaceRoot
    await harness.say(session, '/say hello')
    const outside = await swap(root)
    expect(await harness.say(session, '/fsread secret.txt')).not.toContain('secret\n')
    await harness.say(session, `/fswrite b.txt x`)
    await harness.say(session, `/term touch ran.txt`)
    await untouched(outside)
    expect(existsSync(join(outside, 'ran.txt'))).toBe(false)
    await rm(`${root}-moved`, { recursive: true, force: true })
  })
})
