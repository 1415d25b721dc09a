import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentSession } from '../conformance/agents-harness.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import { openSandboxHarness, type SandboxHarness } from './sandbox-harness.ts'

describe.runIf(sandboxWorks())('ways around the sandbox', () => {
  let harness: SandboxHarness
  let session: AgentSession
  let place: string
  const run = (script: string) => harness.run(session, script)
  beforeAll(async () => {
    harness = await openSandboxHarness()
    place = await harness.place('work')
    await writeFile(join(place, 'AGENTS.md'), 'as it was\n')
    await writeFile(join(harness.home, 'private.txt'), 'private')
    session = await harness.start(place)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('S4 no file descriptors of ours are open in the agent’s processes', async () => {
    // In the first process inside, in the agent, and in those between.
    const open = await run('for p in /proc/[0-9]*; do readlink $p/fd/* 2>/dev/null; done | sort -u')
    const files = open.split('\n').filter((line) => line.startsWith('/') && !/^\/(dev|proc)\//.test(line))
    expect(files.filter((path) => !path.startsWith(place) && !path.startsWith('/usr/'))).toEqual([])
  })

  it('S4 an abstract socket is only in its own network', async () => {
    const name = `signalbox-test-${process.pid}`
    await using somebody = createServer().listen(`\0${name}`)
    await once(somebody, 'listening')
    const connect = `node -e 'require("net").connect("\\0${name}").on("error", (e) => console.log(e.code)).on("connect", () => { console.log("connected"); process.exit() })'`
    expect(await run(connect)).toBe('ECONNREFUSED')
  })

  it('S4 the root and working directories of its processes lead nowhere else', async () => {
    const path = join(harness.home, 'private.txt')
    const tried = await run(
      `for p in /proc/[0-9]*; do for d in root cwd; do cat $p/$d${path} $p/$d/../../../../../../..${path} 2>/dev/null; done; done; echo tried`,
    )
    expect(tried).toBe('tried')
  })

  it('S7 another name for a settings file does not help', async () => {
    const tried = await run(
      'ln AGENTS.md other 2>/dev/null && echo x > other; ln -s AGENTS.md link && (echo x > link) 2>/dev/null; (exec 7<>AGENTS.md) 2>/dev/null && echo opened; truncate -s 0 AGENTS.md 2>/dev/null; chmod 777 AGENTS.md 2>/dev/null; touch AGENTS.md 2>/dev/null && echo touched; rm -f link other; echo tried',
    )
    expect(tried).toBe('tried')
    expect(await readFile(join(place, 'AGENTS.md'), 'utf8')).toBe('as it was\n')
  })

  it('S4 a crashing program leaves a core dump in the workspace at most', async () => {
    const before = await readdir(harness.server.home)
    await run('cd /tmp && ulimit -c unlimited; sh -c "kill -SEGV \\$\\$" 2>/dev/null; echo crashed')
    expect(await readdir(harness.server.home)).toEqual(before)
  })
})
