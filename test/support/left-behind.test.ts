import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createRun, type Run } from '../../scripts/lib/left-behind.ts'

/** A process of the run, which waits for its input to end. */
async function start(env: NodeJS.ProcessEnv) {
  const child = spawn('cat', [], { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
  // Once it prints something it is cat, with its given environment.
  child.stdin.write('x')
  await once(child.stdout, 'data')
  const { pid = 0 } = child
  const end = async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return { pid, end, [Symbol.asyncDispose]: end }
}

const pidsOf = (run: Run) => run.left().map(({ pid }) => pid)

describe('what a run leaves behind', () => {
  it('is every process with its mark, by name, until it has ended', async () => {
    const run = createRun()
    await using one = await start({ ...process.env, ...run.env })
    expect(run.left()).toEqual([{ pid: one.pid, command: 'cat' }])
    await one.end()
    expect(run.left()).toEqual([])
  })

  it('is nothing of another run at the same time', async () => {
    const [mine, theirs] = [createRun(), createRun()]
    await using one = await start({ ...process.env, ...mine.env })
    await using other = await start({ ...process.env, ...theirs.env })
    expect([pidsOf(mine), pidsOf(theirs)]).toEqual([[one.pid], [other.pid]])
  })

  it('is found with PATH alone, as the keeper passes it on, and with another PATH', async () => {
    const run = createRun()
    const { PATH = '', ...others } = run.env
    await using bare = await start({ PATH })
    await using moved = await start({ ...others, PATH: '/usr/bin:/bin' })
    expect(new Set(pidsOf(run))).toEqual(new Set([bare.pid, moved.pid]))
  })

  it('is waited for while it is ending, and no longer than allowed', async () => {
    const run = createRun()
    await using one = await start({ ...process.env, ...run.env })
    expect((await run.leftAfter(10)).map(({ pid }) => pid)).toEqual([one.pid])
    const looking = run.leftAfter(20_000)
    await one.end()
    expect(await looking).toEqual([])
  })
})
