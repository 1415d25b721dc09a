// What people read every day at the command line, with a session of the practice agent.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openAgentsHarness, type AgentsHarness } from './agents-harness.ts'

const execute = promisify(execFile)
const program = join(import.meta.dirname, '../../dist/signalbox.js')
const hasZsh = ['/bin/zsh', '/usr/bin/zsh'].some(existsSync)

describe('a session at the command line', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const cli = (...args: string[]) => harness.server.cli(...args)

  it('B16 logs say how much of a long output is left out, and show it with --all', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/run seq 1000 1099')
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.settled(turn)
    const short = (await cli('logs', session.id)).stdout
    expect(short).toMatch(/… \d+ more lines/)
    expect(short).not.toMatch(/^ *1099$/m)
    const all = (await cli('logs', session.id, '--all')).stdout
    for (const line of ['1000', '1050', '1099']) expect(all).toMatch(new RegExp(`^ *${line}$`, 'm'))
    expect(all).not.toContain('more lines')
  })

  it('B16 a rejected edit is shown as rejected, not as failed', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/write plan.txt Two lines')
    await harness.answer(await harness.openAsk(session), { outcome: 'reject', reason: 'not today' })
    await harness.settled(turn)
    const { stdout } = await cli('logs', session.id)
    expect(stdout).toMatch(/plan\.txt: rejected$/m)
    expect(stdout).not.toContain('failed')
  })

  it('R19 what “always” means is said with the commands that confirm and revoke it', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/run true')
    const ask = await harness.openAsk(session)
    const { optionId } = ask.subject.options.find(({ kind }) => kind === 'allow_always') ?? {}
    await harness.answer(ask, { outcome: 'select', optionId })
    await harness.settled(turn)
    const { stdout } = await cli('logs', session.id)
    const words = stdout.replaceAll(/\s+/g, ' ')
    expect(words).toContain('signalbox policy rules')
    expect(words).toContain(`signalbox sessions allowed ${session.id.slice(0, 8)}`)
  })

  it('R4 what a session is doing is shown in words: idle, working, needs you, asleep', async () => {
    const session = await harness.start()
    const shown = async () => (await cli('sessions', 'show', session.id)).stdout
    const listed = async () =>
      (await cli('sessions')).stdout.split('\n').find((line) => line.includes(session.id.slice(0, 8)))
    const both = async (word: string) => {
      expect(await shown()).toMatch(new RegExp(`\\b${word}\\b`))
      expect(await listed()).toMatch(new RegExp(`\\b${word}\\b`))
    }
    await both('idle')
    await harness.prompt(session, '/write a.txt a')
    const ask = await harness.openAsk(session)
    await both('needs you')
    await harness.answer(ask, { outcome: 'approve' })
    await harness.settled(await harness.prompt(session, '/say Done.'))
    await cli('sessions', 'sleep', session.id)
    await both('asleep')
    await cli('sessions', 'wake', session.id)
    await harness.settled(await harness.prompt(session, '/say Awake.'))
    await harness.prompt(session, '/stall forever')
    await harness.become(session, 'active')
    await both('working')
  })

  it.runIf(hasZsh)('B16 the Tab key in zsh offers ids of the server, and the values of a flag', async () => {
    const session = await harness.start({ prompt: '/say Good day' })
    const { stdout: script } = await cli('completion', 'zsh')
    const tab = async (...words: string[]) => {
      const lines = [
        'compdef() { : }',
        '_files() { : }',
        '_describe() { print -l -- ${(P)2} }',
        `signalbox() { '${process.execPath}' '${program}' "$@" }`,
        script,
        `words=(signalbox ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}`,
        '_signalbox; true',
      ]
      const env = { ...process.env, SIGNALBOX_HOME: harness.server.home }
      const { stdout } = await execute('zsh', ['-f', '-c', lines.join('\n')], { env })
      return stdout.split('\n').map((line) => line.split(':')[0])
    }
    // A server that is busy is not waited for.
    await until(async () => (await tab('sessions', 'show', '')).includes(session.id.slice(0, 8)), { what: 'the id' })
    expect(await tab('mcp', 'install', 'claude', '--scope', '')).toEqual(expect.arrayContaining(['user', 'project']))
  })
})

describe('around a server', () => {
  it('B14 doctor says which agents are installed, and warns if the default one is not', async () => {
    await using server = await startServer({
      config: 'default_agent = "absent"\n[agents.absent]\ncommand = "no-such-agent"\n',
    })
    const { stdout } = await server.cli('doctor', '--json')
    const checks = JSON.parse(stdout) as { name: string; status: string; detail: string }[]
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: 'server: agents',
        status: 'warn',
        detail: expect.stringMatching(/^absent, the default agent, is not installed; installed: .*practice/),
      }),
    )
  })

  it('B16 mcp install is undone by --remove, and nothing else in the file is changed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sbm-'))
    try {
      const place = join(folder, 'shop')
      await mkdir(place)
      const file = join(place, '.mcp.json')
      const before = '{\n  "mcpServers": {\n    "notes": {\n      "command": "notes"\n    }\n  }\n}\n'
      await writeFile(file, before)
      const env = { ...process.env, HOME: folder, SIGNALBOX_HOME: join(folder, 'data') }
      const install = (...more: string[]) =>
        execute(process.execPath, [program, 'mcp', 'install', 'claude', '--scope', 'project', ...more], {
          cwd: place,
          env,
        })
      await install()
      expect(await readFile(file, 'utf8')).toContain('"signalbox"')
      expect((await install('--remove')).stdout).toContain('signalbox removed')
      expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(before))
      expect((await install('--remove')).stdout).toContain('not configured')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
