import { execFile } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createCheckpointStore } from '../../src/edges/workspace/checkpoint/store.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { atMost, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import { changeSome, fillWorkspace } from './workspace.ts'

const run = promisify(execFile)

export const checkpoints: Line = {
  name: 'checkpoints',
  measured: `A checkpoint of a Git repository with 50,000 small files: SHA-256 of every file, and all contents stored
so that they can be restored. "First": nothing is known about the workspace yet. "Again": 10 files have changed since
the last one. Ours is what the server does, including its thread and the sandbox of Git, until it is on the disk; a
thread waits half a minute for the next checkpoint. The peer is Git alone with a separate repository and index:
\`git add --all && git write-tree\`, which has no SHA-256 and can miss a change made while it reads.`,
  async run({ folder, quick }) {
    const files = quick ? 10_000 : 50_000
    const root = join(folder, 'workspace')
    fillWorkspace(root, files)
    await run('git', ['init', '--quiet', root])
    // Files younger than two seconds are read twice on purpose; that is not measured.
    await delay(2100)
    const rounds = quick ? 2 : 5
    const first = await interleaved(rounds, {
      peer: () => timed(() => peer(folder, root, true)),
      ours: () => timed(() => ours(folder, root, true)),
    })
    let round = 0
    const changed = async (act: () => Promise<void>) => {
      round += 1
      changeSome(root, files, round)
      await delay(50)
      return timed(act)
    }
    const again = await interleaved(rounds, {
      peer: () => changed(() => peer(folder, root, false)),
      ours: () => changed(() => ours(folder, root, false)),
    })
    const title = `Checkpoint of ${files.toLocaleString('en')} files`
    const figure = (name: string, more: string, times: { ours: number[]; peer: number[] }) => ({
      name: `checkpoints/${name}`,
      title: `${title}, ${more}`,
      unit: 'ms',
      ours: sampleOf(times.ours),
      peer: sampleOf(times.peer),
      ratio: ratioOf(times.ours, times.peer),
    })
    return [atMost(1.5, figure('first', 'first', first)), atMost(1.5, figure('again', 'again with 10 changed', again))]
  },
}

async function timed(act: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await act()
  return performance.now() - started
}

let taken = 0

async function ours(folder: string, root: string, isFirst: boolean): Promise<void> {
  const directory = join(folder, 'ours', 'checkpoints')
  if (isFirst) rmSync(directory, { recursive: true, force: true })
  const store = createCheckpointStore({ directory, log: silentLogger })
  taken += 1
  const done = await store.take({ checkpointId: `bench-${taken}`, root })
  if (!done.ok) throw new Error(done.fault.message)
  if (!done.value.restorePoint.startsWith('git:')) throw new Error('it was not kept in Git')
}

async function peer(folder: string, root: string, isFirst: boolean): Promise<void> {
  const directory = join(folder, 'peer')
  if (isFirst) rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const env = { ...process.env, GIT_DIR: join(directory, 'git'), GIT_WORK_TREE: root, GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...args: string[]) => run('git', args, { cwd: root, env })
  if (isFirst) await run('git', ['init', '--quiet', '--bare', env.GIT_DIR])
  await git('add', '--all')
  await git('write-tree')
}
