import { execFile, spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnv, runCli, startServer, type Ran, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { roomy } from './work.ts'

const run = promisify(execFile)

/** A separate repo below the server's home. */
async function newRepo(server: Server, name: string): Promise<string> {
  const path = join(server.outside, 'code', name)
  await mkdir(path, { recursive: true })
  await run('git', ['init', '--quiet', path])
  await writeFile(join(path, 'README.md'), `# ${name}\n`)
  return path
}

const config = `${roomy}[acp]\nmax_sessions = 100\n`

describe('the command line for agents', () => {
  let server: Server
  let repo: string
  let env: Record<string, string>
  beforeAll(async () => {
    server = await startServer({ config })
    repo = await newRepo(server, 'shop')
    env = cleanEnv({ SIGNALBOX_HOME: server.home })
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const cli = (...args: string[]): Promise<Ran> => runCli(args, env, repo)
  async function json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await cli(...args, '--json')
    // Agents of other tests may still work in this directory; the command says so.
    const unexpected = stderr.replace(/^(?:Another agent works|\d+ other agents work) in the same directory\..*\n/, '')
    expect([args, code, unexpected]).toEqual([args, 0, ''])
    return JSON.parse(stdout) as T
  }
  const begin = async (prompt: string): Promise<string> =>
    (await json<{ id: string }>('start', '--detach', 'practice', prompt)).id
  const idIn = ({ stderr }: Ran): string => /Session ([0-9a-f]{8})/.exec(stderr)?.[1] ?? ''

  it('A1 start shows what the agent says, registers the directory’s repo, and ends with the turn', async () => {
    const ran = await cli('start', 'practice', '/say Hello from the agent')
    expect(ran).toMatchObject({ code: 0, stdout: '> /say Hello from the agent\n\nHello from the agent\n' })
    expect(await json('repos')).toMatchObject([{ name: 'shop', path: repo }])
    expect(await json('sessions', 'show', idIn(ran))).toMatchObject({ agent: 'practice', workspaceRoot: repo })
  })

  it('A1 start says what to do outside a repo, and works in a plain directory', async () => {
    const lost = await runCli(['start', 'practice', '/say hi'], env, '/')
    expect(lost).toMatchObject({ code: 2, stderr: expect.stringContaining('--workspace .') })
    const plain = join(server.outside, 'plain')
    await mkdir(plain, { recursive: true })
    expect(await runCli(['start', '--workspace', '.', 'practice', '/say hi'], env, plain)).toMatchObject({ code: 0 })
  })

  it('B1 without a terminal an ask ends the watch with exit code 8 and the commands that answer it; attach continues', async () => {
    const asking = await cli('start', 'practice', '/write note.txt kept')
    expect(asking.code).toBe(8)
    const last = asking.stderr.trimEnd().split('\n').at(-1)
    const ask = /^Waiting for ask (\S+)\.$/.exec(last ?? '')?.[1] ?? ''
    const line = /signalbox (answer \S+ select \S+) {2}# Allow once/.exec(asking.stderr)?.[1] ?? ''
    expect(line).toContain(ask)
    expect((await cli('asks', 'show', ask)).stdout).toContain('+kept')
    expect(await cli(...line.split(' '))).toMatchObject({ code: 0 })
    const attached = await cli('attach', idIn(asking))
    expect(attached).toMatchObject({ code: 0, stdout: expect.stringContaining('write note.txt: done') })
    expect(await readFile(join(repo, 'note.txt'), 'utf8')).toBe('kept\n')
  })

  it('A7 attaching midway shows the same text as is stored', async () => {
    const id = await begin('/slow 60 20')
    await until(async () => (await cli('logs', id)).stdout.includes('word-5'))
    const words = Array.from({ length: 60 }, (_, index) => `word-${index + 1}`).join(' ')
    expect(await cli('attach', id)).toMatchObject({ code: 0, stdout: `> /slow 60 20\n\n${words}\n` })
    expect((await cli('logs', id)).stdout).toBe(`> /slow 60 20\n\n${words}\n`)
  })

  it('A7 --json prints a line for each event, the outcome last', async () => {
    const { code, stdout } = await cli('start', 'practice', '/say Hello', '--json')
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: unknown })
    expect([code, lines[0]?.type, lines.at(-1)]).toMatchObject([
      0,
      'session',
      { type: 'outcome', data: { kind: 'ended' } },
    ])
    expect(stdout).toContain('Hello')
  })

  it('R17 prompts wait in the queue, are shown and dropped, and run in order', async () => {
    const id = await begin('/slow 1000 20')
    expect(await cli('prompt', id, '/say', 'second')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Queued/),
    })
    await cli('prompt', id, '/say third')
    const { items } = await json<{ items: { id: string; text: string; status: string }[] }>('queue', id)
    expect(items.map(({ text, status }) => [text, status])).toEqual([
      ['/slow 1000 20', 'sent'],
      ['/say second', 'waiting'],
      ['/say third', 'waiting'],
    ])
    expect(await cli('queue', 'drop', id, items[1]?.id ?? '')).toMatchObject({ code: 0 })
    expect((await cli('sessions', 'show', id)).stdout).toContain('/say third')
    const now = await cli('prompt', id, '--now', '--wait', '/say at once')
    expect(now).toMatchObject({ code: 0, stdout: expect.stringMatching(/at once[^]*\nthird\n$/) })
    expect(now.stdout).not.toContain('second')
  })

  it('X7 Ctrl-C cancels the turn; the session continues', async () => {
    const child = spawn(
      process.execPath,
      ['dist/signalbox.js', 'start', '--repo', repo, 'practice', '/stall forever'],
      {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await until(() => said.includes('/stall'))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(said).toContain('The turn was cancelled.')
    const id = /Session ([0-9a-f]{8})/.exec(said)?.[1] ?? ''
    expect(await json('sessions', 'show', id)).toMatchObject({ status: 'active' })
  })

  it('X4 stop ends a session; continue starts the next session of its lineage', async () => {
    const first = await cli('start', 'practice', '/remember the milk')
    const id = idIn(first)
    expect(await cli('stop', id)).toMatchObject({ code: 0, stdout: expect.stringContaining('is cancelled') })
    const next = await cli('continue', id, '/recall')
    expect(next).toMatchObject({ code: 0, stdout: expect.stringContaining('the milk') })
    const { lineage } = await json<{ lineage: string[] }>('sessions', 'show', idIn(await cli('attach', lastId(next))))
    expect(lineage[0]?.startsWith(id)).toBe(true)
    expect((await cli('prompt', id, 'more')).code).toBe(6)
  })
  it('X4 continue refuses a running session, and says what to do; an unknown agent is not taken as a prompt', async () => {
    const id = await begin('/stall forever')
    const refused = await cli('continue', id, 'go on')
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringMatching(/\.\/signalbox attach [0-9a-f]{8}/) })
    expect(await json('sessions', 'show', id)).toMatchObject({ status: 'active' })
    await cli('stop', id)
    expect(await cli('stop', id)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('already ended (cancelled)'),
    })
    expect(await cli('start', 'nobody', 'say hi')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Agent nobody not found\.\n {2}Agents: .*practice/),
    })
  })

  it('B5 the answer to a form is checked against the form', async () => {
    await cli('start', 'practice', '/ask Which colour?')
    const { asks } = await json<{ asks: { id: string; title: string }[] }>('asks')
    const ask = asks.find(({ title }) => title.includes('colour'))?.id ?? ''
    expect((await cli('asks', 'show', ask)).stdout).not.toContain('"properties"')
    expect(await cli('answer', ask, 'accept', 'x=1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('answer'),
    })
    expect(await cli('answer', ask, 'accept', 'answer=green')).toMatchObject({ code: 0 })
  })

  it('A1 attach without a session picks the only one running in the repo', async () => {
    const alone = await newRepo(server, 'alone')
    expect(await runCli(['attach'], env, alone)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Elsewhere'),
    })
    await runCli(['start', 'practice', '/say Here I am'], env, alone)
    expect(await runCli(['attach'], env, alone)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Here I am'),
    })
  })

  const lastId = ({ stderr }: Ran): string => /continues as ([0-9a-f]{8})/.exec(stderr)?.[1] ?? ''

  it('B7 sessions why says what a session waits for', async () => {
    const id = idIn(await cli('start', 'practice', '/ask Which colour?'))
    expect((await cli('sessions', 'why', id)).stdout).toMatch(/waiting for a person[^]*Which colour\?/)
    expect((await cli('sessions', 'show', id)).stdout).toMatch(/^Now\s+waiting for a person/m)
  })

  it('A5 messages can be searched and exported', async () => {
    const id = idIn(await cli('start', 'practice', '/say The rarest word is syzygy'))
    expect((await cli('search', 'syzygy')).stdout).toContain(id)
    expect((await cli('sessions', 'export', id)).stdout).toContain('The rarest word is syzygy')
    const file = join(server.home, 'session.json')
    expect(await cli('sessions', 'export', id, '--format', 'json', '--output', file)).toMatchObject({ code: 0 })
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ agent: 'practice' })
    expect((await cli('sessions', 'export', id, '--output', file)).code).toBe(6)
  })

  it('X7 modes and options are listed and set', async () => {
    const id = idIn(await cli('start', 'practice', '/say hi'))
    const { stdout } = await cli('sessions', 'mode', id)
    const [, other = ''] = [...stdout.matchAll(/^ {2}[* ] (\S+)/gm)].map((match) => match[1] ?? '')
    expect(await cli('sessions', 'mode', id, other)).toMatchObject({ code: 0 })
    await until(async () => (await cli('sessions', 'mode', id)).stdout.includes(`* ${other}`))
    expect((await cli('sessions', 'option', id)).code).toBe(0)
  })

  it('X7 agents says which are installed, and how to install the others', async () => {
    const { agents } = await json<{ agents: { name: string }[] }>('agents')
    expect(agents).toContainEqual(expect.objectContaining({ name: 'practice', installed: true }))
    expect((await cli('agents')).stdout).toContain('How to install the others')
    expect(await cli('start', 'practise', 'go')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('practice?'),
    })
  })
})

describe('stopping from the command line', () => {
  it('X5 stop ends the server with its agents and keeper, and exits 0 if nothing is running', async () => {
    await using server = await startServer({ config })
    const repo = await newRepo(server, 'one')
    const started = await server.cli('start', '--detach', '--repo', repo, 'practice', '/stall forever')
    expect(started.code).toBe(0)
    expect(await server.cli('stop')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/practice, .*\/stall forever[^]*Nothing was changed[^]*stop --yes/),
    })
    expect((await server.cli('status')).code).toBe(0)
    const stopped = await server.cli('stop', '--yes')
    expect(stopped).toMatchObject({
      code: 0,
      stdout: 'Stopped.\n',
      stderr: expect.stringContaining('1 agent ends with it'),
    })
    expect((await server.cli('status')).code).toBe(3)
    expect(await server.cli('stop')).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is running') })
  })

  it('X5 stop --keep-agents leaves them for the next start; stop without a server ends what is left', async () => {
    await using server = await startServer({ config })
    const repo = await newRepo(server, 'two')
    const { stdout } = await server.cli('start', '--detach', '--repo', repo, 'practice', '/slow 400 20', '--json')
    const { id } = JSON.parse(stdout) as { id: string }
    expect(await server.cli('stop', '--keep-agents')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 agent keeps running in the background'),
    })
    await server.restart()
    const attached = await server.cli('attach', id)
    expect(attached).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/word-1 word-2 [^]* word-399 word-400\n$/),
    })
    await server.kill()
    expect(await server.cli('stop')).toMatchObject({ code: 2, stderr: expect.stringContaining('To confirm') })
    const left = await server.cli('stop', '--yes')
    expect(left).toMatchObject({ code: 0, stdout: expect.stringContaining('with 1 agent') })
    expect(await server.cli('stop')).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is running') })
  })
})
