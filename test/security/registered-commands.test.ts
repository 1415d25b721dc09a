import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { until } from '../support/until.ts'
import { openSandboxHarness, standings, type SandboxHarness } from './sandbox-harness.ts'

type Ran = { exitCode: number | null; stdout: string; stderr: string; isolation: string; timedOut: boolean }

const config = `[commands]
test = "sh ./test.sh"
shelled = { command = "sh ./test.sh; exit 3", shell = true }
free = { command = "sh ./test.sh", confined = false }
`

const run = (harness: SandboxHarness, session: { id: string }, alias: string): Promise<Ran> =>
  harness.server.api().post(`/api/sessions/${session.id}/run`, { alias })

describe.each(standings)('a registered command of $as, which runs what an agent wrote', ({ uid, missing }) => {
  const skipped = missing ?? (sandboxWorks() ? null : 'bubblewrap does not work here')

  it.skipIf(skipped !== null)('S2 is confined like the agent, unless the operator says otherwise', async () => {
    await using harness = await openSandboxHarness({ uid, config })
    const place = await harness.place('work')
    const outside = await harness.place('outside')
    await writeFile(join(harness.home, 'private.txt'), 'private')
    await using somebody = createServer().listen(0, '127.0.0.1')
    await once(somebody, 'listening')
    const { port } = somebody.address() as AddressInfo
    const session = await harness.start(place)
    const script = [
      `cat '${join(harness.home, 'private.txt')}' '${join(harness.server.home, 'signalbox.db')}' 2>/dev/null`,
      `touch '${join(outside, 'was-here')}' 2>/dev/null`,
      `ls '${join(harness.server.home, 'run')}' 2>/dev/null`,
      `(echo x > CLAUDE.md) 2>/dev/null; (echo x > .signalbox/settings.json) 2>/dev/null`,
      `node -e 'require("net").connect(${port}, "127.0.0.1").on("connect", () => process.exit(1)).on("error", () => process.exit(0))' || echo connected`,
      'echo made > made.txt; pwd',
    ].join('\n')
    await harness.run(session, `cat > test.sh <<'END'\n${script}\nEND`)

    const confined = async (alias: string, exitCode: number) => {
      expect(await run(harness, session, alias)).toMatchObject({ exitCode, stdout: `${place}\n`, isolation: 'sandbox' })
      expect(existsSync(join(outside, 'was-here'))).toBe(false)
      expect(existsSync(join(place, 'made.txt'))).toBe(true)
      await rm(join(place, 'made.txt'))
    }
    await confined('test', 0)
    await confined('shelled', 3)
    const free = await run(harness, session, 'free')
    expect(free).toMatchObject({ isolation: 'none', stdout: expect.stringMatching(/^private[^]*connected/) })
    expect(existsSync(join(outside, 'was-here'))).toBe(true)

    // Without the agent it is refused, or equally confined.
    await harness.server.api().post(`/api/sessions/${session.id}/prompt`, { text: 'kill -9 $PPID' })
    await until(async () => !(await readdir(place)).includes('AGENTS.md'), { what: 'no name held any more' })
    const after = await harness.server
      .api()
      .send('POST', `/api/sessions/${session.id}/run`, { body: { alias: 'test' } })
    expect(after.status === 409 || (after.body as Ran).isolation === 'sandbox').toBe(true)
    expect(await readdir(place)).not.toContain('AGENTS.md')
  })
})
