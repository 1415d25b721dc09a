import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, plainAgent, type AgentSession, type AgentsHarness } from '../conformance/agents-harness.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import { openSandboxHarness } from './sandbox-harness.ts'

const seconds = 60_000

describe.runIf(sandboxWorks())('a link to a home directory in place of mounted settings', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ config: plainAgent('plain') })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** Output of a command of the agent that a person approved. */
  async function approved(session: AgentSession, command: string, out: string): Promise<string> {
    const create = ['terminal/create', { command: `{ ${command}; } > ${out} 2>&1; echo done >> ${out}` }]
    const turn = await harness.prompt(session, `calls ${JSON.stringify([[create]])}`)
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.settled(turn)
    await expect.poll(() => readFile(out, 'utf8').catch(() => ''), { timeout: 20_000 }).toMatch(/done\n$/)
    return readFile(out, 'utf8')
  }

  it('S4 exposes nothing to the next command of the session', { timeout: seconds }, async () => {
    const place = await harness.workspace()
    const home = process.env['HOME'] ?? '/root'
    await mkdir(join(place, 'sub', '.claude'), { recursive: true })
    await writeFile(join(place, 'sub', '.claude', 'settings.json'), '{}')
    const session = await harness.start({ agent: 'plain', workspaceRoot: place, isolation: 'sandbox' })
    expect(session.isolation).toBe('sandbox')
    const list = `ls -A '${home}'`
    const before = await approved(session, list, join(place, 'one'))
    const link = relative(join(place, 'sub'), home)
    await approved(session, `mv sub away && mkdir sub && ln -s '${link}' sub/.claude`, join(place, 'two'))
    expect(await approved(session, list, join(place, 'three'))).toBe(before)
  })

  it('S4 exposes nothing to a session that starts while it is swapped', { timeout: 2 * seconds }, async () => {
    await using other = await openSandboxHarness({ config: '[acp]\nmax_sessions = 50\n' })
    const place = await other.place('work')
    await writeFile(join(other.home, 'private.txt'), 'private')
    await mkdir(join(place, 'sub', '.claude'), { recursive: true })
    const first = await other.start(place)
    const link = relative(join(place, 'sub'), other.home)
    await other.run(
      first,
      `mv sub away; mkdir -p sub/.claude sub/.other; ln -s '${link}' sub/link; cat > swap.pl <<'END'
while (-e "swap.pl") { rename "sub/.claude", "sub/.spare"; rename "sub/link", "sub/.claude"; rename "sub/.claude", "sub/link"; rename "sub/.spare", "sub/.claude" }
END
      perl swap.pl >/dev/null 2>&1 &`,
    )
    for (let tries = 0; tries < 6; tries += 1) {
      const next = await other.start(place).catch(() => null)
      if (next === null) continue
      const seen = await other.run(
        next,
        `cat '${join(other.home, 'private.txt')}' sub/.claude/private.txt; ls '${dirname(other.server.home)}'`,
      )
      expect(seen).not.toMatch(/^private$/m)
      await other.end(next)
    }
    await other.run(first, 'rm swap.pl')
  })
})
