import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand, type CommandResult, type Runnable } from './run-command.ts'

const roomy = { timeMs: 20_000, bytes: 64 * 1024 }
let cwd = ''
beforeAll(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-run-')))
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

async function run(what: Runnable, limits = roomy): Promise<CommandResult> {
  const ran = await runCommand(what, cwd, limits)
  if (!ran.ok) throw new Error(ran.fault.message)
  return ran.value
}

const isAlive = (pid: number): boolean => {
  try {
    // A zombie counts as ended.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('a configured command', () => {
  it('runs in the workspace, with its arguments unchanged', async () => {
    expect(await run({ argv: ['pwd'] })).toMatchObject({ exitCode: 0, stdout: `${cwd}\n`, truncated: false })
    expect((await run({ argv: ['printf', '%s|', '$HOME', ';', 'a b'] })).stdout).toBe('$HOME|;|a b|')
  })

  it('runs in a shell if the entry says so, and returns both outputs and the exit code', async () => {
    expect(await run({ script: 'echo out; echo err >&2; exit 7' })).toMatchObject({
      exitCode: 7,
      stdout: 'out\n',
      stderr: 'err\n',
      timedOut: false,
    })
  })

  it('is ended at its time limit, with everything it started', async () => {
    const ran = await run({ script: 'sleep 1000 & echo $!; wait' }, { ...roomy, timeMs: 300 })
    expect(ran).toMatchObject({ exitCode: null, timedOut: true })
    await expect.poll(() => isAlive(Number(ran.stdout))).toBe(false)
  })

  it('is ended at once even if it ignores signals', async () => {
    const ran = await run({ script: "trap '' TERM INT HUP; while :; do sleep 0.1; done" }, { ...roomy, timeMs: 300 })
    expect(ran.timedOut).toBe(true)
    expect(ran.seconds).toBeLessThan(10)
  })

  it('leaves nothing running in the background, and does not wait for it', async () => {
    const ran = await run({ script: 'sleep 1000 & echo $!' })
    expect(ran).toMatchObject({ exitCode: 0, timedOut: false })
    expect(ran.seconds).toBeLessThan(10)
    await expect.poll(() => isAlive(Number(ran.stdout))).toBe(false)
  })

  it('is not delayed by a process that left its group', async () => {
    const ran = await run({ script: 'setsid sleep 8 & echo $!' })
    expect(ran).toMatchObject({ exitCode: 0, timedOut: false })
    expect(ran.seconds).toBeLessThan(6)
  })

  it('is read to its end, but kept only up to the limit, in whole characters', async () => {
    const ran = await run({ script: 'printf "ä%.0s" $(seq 1 5000)' }, { ...roomy, bytes: 1001 })
    expect(ran).toMatchObject({ exitCode: 0, truncated: true })
    expect(ran.stdout).toBe('ä'.repeat(500))
    const exact = await run({ script: 'printf abc' }, { ...roomy, bytes: 3 })
    expect(exact).toMatchObject({ stdout: 'abc', truncated: false })
  })

  it('has a separate limit for each output', async () => {
    const ran = await run({ script: 'seq 1 1000; seq 1 1000 >&2' }, { ...roomy, bytes: 10 })
    expect(ran).toMatchObject({ stdout: '1\n2\n3\n4\n5\n', stderr: '1\n2\n3\n4\n5\n', truncated: true })
  })

  it('gets no input', async () => {
    expect(await run({ argv: ['cat'] })).toMatchObject({ exitCode: 0, stdout: '' })
  })

  it('that does not exist, or has no directory to run in, is reported', async () => {
    const missing = await runCommand({ argv: ['no-such-program-of-ours'] }, cwd, roomy)
    expect(missing).toMatchObject({ ok: false, fault: { code: 'command_not_run' } })
    const nowhere = await runCommand({ argv: ['pwd'] }, join(cwd, 'gone'), roomy)
    expect(nowhere).toMatchObject({ ok: false, fault: { code: 'workspace_missing' } })
  })
})
