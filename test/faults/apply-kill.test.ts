import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/lib/id.ts'
import { createRandom } from '../edges/changes/random.ts'
import type { Orders } from '../edges/changes/kill-child.ts'
import { openChangesHarness, sessionId, type ChangesHarness } from '../edges/changes/harness.ts'
import { bundled } from '../support/bundled.ts'
import { campaignSeed, figure, scale } from '../support/scale.ts'

const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const child = bundled(join(import.meta.dirname, '../edges/changes/kill-child.ts'))

// Applied twice it would no longer fit.
const diff = [
  '--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n one\n+one\n two\n',
  '--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n',
  '--- /dev/null\n+++ b/new/dir/x\n@@ -0,0 +1 @@\n+x\n',
  'diff --git a/tool b/tool\nold mode 100644\nnew mode 100755\n',
  'diff --git a/from b/to/from\nsimilarity index 100%\nrename from from\nrename to to/from\n',
  'diff --git a/src/last b/src/last\nindex 1..2 100644\n--- a/src/last\n+++ b/src/last\n@@ -1 +1 @@\n-l\n\\ No newline at end of file\n+L\n',
].join('')

type Trial = {
  harness: ChangesHarness
  askId: string
  before: string[]
  after: string[]
  orders: Omit<Orders, 'work' | 'killAt'>
}

/** The same files each time, with the trees before and after the change. */
async function openTrial(): Promise<Trial & AsyncDisposable> {
  const harness = await openChangesHarness({ base })
  for (const [name, text] of Object.entries({
    f: 'one\ntwo\n',
    gone: 'bye\n',
    tool: 't\n',
    from: 'move\n',
    'src/last': 'l',
  }))
    await harness.write(name, text)
  await chmod(join(harness.root, 'gone'), 0o600)
  const before = harness.tree()
  const tried = await harness.approve('f', diff)
  if (!tried.ok) throw new Error(tried.fault.message)
  const after = harness.tree()
  const back = await harness.changes.undo({ askId: tried.value.askId, root: harness.root })
  if (!back.ok) throw new Error(back.fault.message)
  await harness.changes.settle(tried.value.askId)
  expect(harness.tree()).toEqual(before)
  const askId = newId<string>()
  const orders = { root: harness.root, dataDir: harness.dataDir, askId, filePath: 'f', diff, spoil: null }
  return { harness, askId, before, after, orders, [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose]() }
}

const run = (orders: Orders) =>
  spawn(process.execPath, [child, JSON.stringify(orders)], { stdio: ['ignore', 'pipe', 'inherit'] })

/** Whether it was killed before its end. */
async function runUntil(orders: Orders, afterMs?: number): Promise<boolean> {
  const running = run(orders)
  const closed = once(running, 'close')
  if (afterMs !== undefined) {
    await once(running.stdout, 'data')
    await pause(afterMs)
    running.kill('SIGKILL')
  }
  running.stdout.resume()
  await closed
  return running.signalCode === 'SIGKILL'
}

/** From its reported start to its end, in this process. */
async function wholeMs(): Promise<number> {
  await using trial = await openTrial()
  const running = run({ ...trial.orders, work: 'apply', killAt: 0 })
  const closed = once(running, 'close')
  await once(running.stdout, 'data')
  const began = performance.now()
  running.stdout.resume()
  await closed
  return performance.now() - began
}

/** What the next server does: finishes, and finds everything done or nothing; returns which. Applied afterwards, either way. */
async function expectWhole({ harness, askId, before, after, orders }: Trial, note: string): Promise<boolean> {
  const { changes, root } = harness
  const found = await changes.unfinished()
  const resumed = found.includes(askId) ? await changes.resume(askId) : null
  expect(resumed === null || resumed.ok, note).toBe(true)
  expect(harness.tree(), note).toEqual(resumed === null ? before : after)
  // If nothing was touched, the ask is still approved; if it was done, it is not done again.
  expect(await changes.unfinished(), note).toEqual(resumed === null ? [] : [askId])
  const looked = resumed === null ? await changes.look({ root, filePath: 'f', diff }) : null
  const files = looked?.ok ? looked.value.files : []
  const again = await changes.apply({ ...orders, sessionId, files, force: false })
  expect(again.ok ? 'ok' : again.fault.message, note).toBe('ok')
  expect(harness.tree(), note).toEqual(after)
  await changes.settle(askId)
  expect(await readdir(join(harness.dataDir, 'journal')), note).toEqual([])
  return resumed !== null
}

async function expectUndone({ harness, askId, before }: Trial, note: string): Promise<void> {
  const undone = await harness.changes.undo({ askId, root: harness.root })
  expect(undone.ok ? undone.value.restored.length : undone.fault.message, note).toBe(7)
  expect(harness.tree(), note).toEqual(before)
  await harness.changes.settle(askId)
  expect((await harness.changes.undo({ askId, root: harness.root })).ok, note).toBe(false)
}

const most = 60

describe('a server killed while it changes files', () => {
  it('has changed all of them or none, at every step', async () => {
    let kills = 0
    for (let killAt = 1; killAt < most; killAt += 1) {
      await using trial = await openTrial()
      const isKilled = await runUntil({ ...trial.orders, work: 'apply', killAt })
      await expectWhole(trial, `apply killed at step ${killAt}`)
      await expectUndone(trial, `apply killed at step ${killAt}`)
      if (!isKilled) break
      kills += 1
    }
    figure('apply killed at every step', `${kills} kill points`)
    expect(kills).toBeGreaterThan(15)
  })

  it('and killed again while it finishes, too', async () => {
    let kills = 0
    for (const first of scale({ test: [10], long: [4, 10, 13] })) {
      for (let killAt = 1; killAt < most; killAt += 1) {
        await using trial = await openTrial()
        expect(await runUntil({ ...trial.orders, work: 'apply', killAt: first })).toBe(true)
        const isKilled = await runUntil({ ...trial.orders, work: 'resume', killAt })
        await expectWhole(trial, `apply killed at ${first}, resume at ${killAt}`)
        if (!isKilled) break
        kills += 2
      }
    }
    figure('apply killed again while it resumes', `${kills} kill points`)
    expect(kills).toBeGreaterThan(scale({ test: 10, long: 30 }))
  })

  it('has undone all of it or nothing, at every step, and finishes it', async () => {
    let kills = 0
    for (let killAt = 1; killAt < most; killAt += 1) {
      await using trial = await openTrial()
      const { harness, askId } = trial
      await expectWhole(trial, 'not killed yet')
      const isKilled = await runUntil({ ...trial.orders, work: 'undo', killAt })
      const isEven = isKilled && killAt % 2 === 0
      const isAgain = isEven && (await runUntil({ ...trial.orders, work: 'resumeUndo', killAt: killAt / 2 }))
      const note = `undo killed at step ${killAt}`
      const found = await harness.changes.unfinishedUndos()
      const resumed = found.includes(askId) ? await harness.changes.resumeUndo(askId) : null
      expect(harness.tree(), note).toEqual(resumed === null ? trial.after : trial.before)
      await expectUndone(trial, note)
      expect(await readdir(join(harness.dataDir, 'journal')), note).toEqual([])
      if (!isKilled) break
      kills += isAgain ? 2 : 1
    }
    figure('undo killed at every step', `${kills} kill points`)
    expect(kills).toBeGreaterThan(15)
  })

  it('while it rolls back a failed change has rolled back all of it', async () => {
    let kills = 0
    for (let killAt = 11; killAt < most; killAt += 1) {
      await using trial = await openTrial()
      const { harness, askId } = trial
      const spoil = { at: 'moved:2', path: 'src/last' }
      const isKilled = await runUntil({ ...trial.orders, work: 'apply', killAt, spoil })
      const note = `taking back killed at step ${killAt}`
      const found = await harness.changes.unfinished()
      const resumed = found.includes(askId) ? await harness.changes.resume(askId) : null
      // It rolls back as long as the file is gone; nobody restored it before.
      expect(resumed?.ok ?? false, note).toBe(false)
      await rmdir(join(harness.root, 'src/last'))
      await rename(join(harness.root, 'src/last.aside'), join(harness.root, 'src/last'))
      expect(harness.tree(), note).toEqual(trial.before)
      await harness.changes.settle(askId)
      await expectWhole(trial, note)
      if (!isKilled) break
      kills += 1
    }
    figure('taking back killed at every step', `${kills} kill points`)
    expect(kills).toBeGreaterThan(10)
  })

  it('has changed all of them or none, at any moment', async () => {
    const seed = campaignSeed()
    const random = createRandom(seed)
    // About two of three are hit midway. The machine may be slower now than in the rounds: if one ends first, less is waited.
    let longest = Math.ceil((await wholeMs()) * 1.5)
    const rounds = scale({ test: 8, long: 40 })
    let [kills, begun] = [0, 0]
    for (let round = 0; round < rounds || (kills < 2 && round < 4 * rounds); round += 1) {
      await using trial = await openTrial()
      const delay = random.below(longest)
      if (await runUntil({ ...trial.orders, work: 'apply', killAt: 0 }, delay)) kills += 1
      else longest = Math.max(1, Math.min(longest, delay))
      if (await expectWhole(trial, `killed after ${delay} ms, seed ${seed}`)) begun += 1
      await expectUndone(trial, `killed after ${delay} ms, seed ${seed}`)
    }
    figure(
      'apply killed at any moment',
      `${kills} kills of ${rounds} within ${longest} ms, ${begun} journals found whole`,
    )
    expect(kills).toBeGreaterThan(rounds / 8)
  })

  it('keeps what someone wrote meanwhile before it finishes, and an undo brings that back', async () => {
    await using trial = await openTrial()
    const { harness, askId } = trial
    expect(await runUntil({ ...trial.orders, work: 'apply', killAt: 4 })).toBe(true)
    await writeFile(join(harness.root, 'f'), 'mine\n')
    expect((await harness.changes.resume(askId))?.ok).toBe(true)
    expect(harness.tree()).toEqual(trial.after)
    await harness.changes.settle(askId)
    expect((await harness.changes.undo({ askId, root: harness.root })).ok).toBe(true)
    expect(await harness.read('f')).toBe('mine\n')
  })

  it('does not overwrite later changes once it was done', async () => {
    await using trial = await openTrial()
    const { harness, askId } = trial
    await runUntil({ ...trial.orders, work: 'apply', killAt: 0 })
    await writeFile(join(harness.root, 'f'), 'later\n')
    expect((await harness.changes.resume(askId))?.ok).toBe(true)
    expect(await harness.read('f')).toBe('later\n')
  })

  it('finds its workspace gone, and says so', async () => {
    await using trial = await openTrial()
    const { harness, askId } = trial
    await runUntil({ ...trial.orders, work: 'apply', killAt: 8 })
    await rename(harness.root, `${harness.root}-moved`)
    await mkdir(`${harness.root}-other`)
    expect(await harness.changes.resume(askId)).toMatchObject({ ok: false, fault: { code: 'workspace_missing' } })
    await harness.changes.settle(askId)
    expect(await harness.changes.unfinished()).toEqual([])
  })
})
