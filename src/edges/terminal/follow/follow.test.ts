import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fail, ok } from '../../../lib/result.ts'
import { followFile, type LogFollowDeps } from './follow.ts'
import { markNow, type FileMark } from './mark.ts'

let root: string
let path: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sb-follow-'))
  path = join(root, 'app.log')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function following(more: Partial<LogFollowDeps> = {}) {
  const marks: FileMark[] = []
  const seen: { text: string; at: number[]; epochs: string[]; troubles: (string | null)[] } = {
    text: '',
    at: [],
    epochs: [],
    troubles: [],
  }
  const following = followFile(
    { path, position: 0, typescript: false, checkPath: async () => ok(undefined), pollMs: null, ...more },
    {
      bytes: async (chunk, position) => {
        seen.text += chunk.toString()
        seen.at.push(position)
      },
      epoch: (epoch, why) => seen.epochs.push(`${epoch} ${why}`),
      trouble: (fault) => seen.troubles.push(fault?.code ?? null),
      mark: async (mark) => void marks.push(mark),
    },
  )
  return Object.assign(following, { seen, mark: () => marks.at(-1) ?? null })
}

describe('following a log', () => {
  it('reads from a position on, and what is added', async () => {
    writeFileSync(path, 'one\ntwo\n')
    await using log = following({ position: 4 })
    await log.look()
    appendFileSync(path, 'three\n')
    await log.look()
    await log.look()
    expect(log.seen).toEqual({ text: 'two\nthree\n', at: [4, 8], epochs: [], troubles: [] })
  })

  it('notices that it was truncated', async () => {
    writeFileSync(path, 'one\ntwo\n')
    await using log = following()
    await log.look()
    truncateSync(path)
    await log.look()
    appendFileSync(path, 'new\n')
    await log.look()
    expect(log.seen).toMatchObject({ text: 'one\ntwo\nnew\n', epochs: ['1 truncated'], troubles: [] })
  })

  it('notices that it was truncated and has grown past the old position since (copytruncate)', async () => {
    writeFileSync(path, 'one\ntwo\n')
    await using log = following()
    await log.look()
    copyFileSync(path, `${path}.1`)
    const file = openSync(path, 'r+')
    ftruncateSync(file)
    closeSync(file)
    appendFileSync(path, 'three\nfour\nfive\n')
    await log.look()
    expect(log.seen).toMatchObject({ text: 'one\ntwo\nthree\nfour\nfive\n', epochs: ['1 truncated'] })
  })

  it('notices that it was rewritten before anything was added', async () => {
    writeFileSync(path, 'one\ntwo\n')
    await using log = following({ position: 8 })
    await log.look()
    writeFileSync(path, 'three\nfour\nfive\n')
    await log.look()
    await log.look()
    expect(log.seen).toMatchObject({ text: 'three\nfour\nfive\n', epochs: ['1 truncated'] })
  })

  it('notices that it was rewritten with the same number of bytes', async () => {
    writeFileSync(path, 'one\ntwo\n')
    await using log = following({ position: 8 })
    await log.look()
    writeFileSync(path, 'six\nten\n')
    await log.look()
    expect(log.seen).toMatchObject({ text: 'six\nten\n', epochs: ['1 truncated'] })
  })

  it('notices that it was rewritten if only its beginning differs', async () => {
    const rest = 'compiling\n'.repeat(1000)
    writeFileSync(path, `first run\n${rest}`)
    await using log = following()
    await log.look()
    writeFileSync(path, `other run\n${rest}${rest}`)
    await log.look()
    expect(log.seen).toMatchObject({
      text: `first run\n${rest}other run\n${rest}${rest}`,
      epochs: ['1 truncated'],
    })
  })

  it('notices that it was rewritten while it was read', async () => {
    const long = 'as it was\n'.repeat(100_000)
    const next = 'as it is now\n'.repeat(100_000)
    writeFileSync(path, long)
    const read: string[] = []
    let epochs = 0
    await using log = followFile(
      { path, position: 0, typescript: false, checkPath: async () => ok(undefined), pollMs: null },
      {
        async bytes(chunk) {
          read.push(chunk.toString())
          if (read.length === 1) writeFileSync(path, next)
        },
        epoch: () => (epochs += 1),
        trouble: () => {},
      },
    )
    await log.look()
    expect([epochs, read.slice(1).join('') === next]).toEqual([1, true])
  })

  it('treats growth by a few bytes at a time as the same log', async () => {
    writeFileSync(path, '')
    await using log = following()
    for (let n = 0; n < 100; n += 1) {
      appendFileSync(path, `${n}\n`)
      await log.look()
    }
    expect(log.seen).toMatchObject({ text: Array.from({ length: 100 }, (_, n) => `${n}\n`).join(''), epochs: [] })
  })

  it('follows rotation, and loses nothing of the old file', async () => {
    writeFileSync(path, 'one\n')
    await using log = following()
    await log.look()
    appendFileSync(path, 'two\n')
    renameSync(path, `${path}.1`)
    appendFileSync(`${path}.1`, 'three\n')
    await log.look()
    writeFileSync(path, 'four\n')
    await log.look()
    expect(log.seen).toMatchObject({ text: 'one\ntwo\nthree\nfour\n', epochs: ['1 replaced'], troubles: [] })
  })

  it('reports deletion, and continues when there is a file again', async () => {
    writeFileSync(path, 'one\n')
    await using log = following()
    await log.look()
    rmSync(path)
    await log.look()
    await log.look()
    expect(log.seen.troubles).toEqual(['file_not_found'])
    writeFileSync(path, 'two\n')
    await log.look()
    expect(log.seen).toMatchObject({ text: 'one\ntwo\n', epochs: ['1 replaced'], troubles: ['file_not_found', null] })
  })

  it('waits for a file that does not exist yet', async () => {
    await using log = following()
    await log.look()
    writeFileSync(path, 'one\n')
    await log.look()
    expect(log.seen).toMatchObject({ text: 'one\n', epochs: [], troubles: ['file_not_found', null] })
  })

  it('refuses a directory, a fifo or a device in its place, and recovers', async () => {
    mkdirSync(path)
    await using log = following()
    await log.look()
    rmSync(path, { recursive: true })
    spawnSync('mkfifo', [path])
    await log.look()
    rmSync(path)
    symlinkSync('/dev/zero', path)
    await log.look()
    expect(log.seen).toMatchObject({ text: '', troubles: ['not_a_file'] })
    rmSync(path)
    writeFileSync(path, 'one\n')
    await log.look()
    expect(log.seen).toMatchObject({ text: 'one\n', troubles: ['not_a_file', null] })
  })

  it('asks again before it follows a link put in its place', async () => {
    writeFileSync(path, 'mine\n')
    writeFileSync(join(root, 'other'), 'not mine\n')
    const refusal = fail({ kind: 'forbidden', code: 'not_permitted', message: 'It lies outside.' })
    // The check gets the real path of the opened file.
    await using log = following({ checkPath: async (name) => (name.endsWith('other') ? refusal : ok(undefined)) })
    await log.look()
    rmSync(path)
    symlinkSync(join(root, 'other'), path)
    await log.look()
    expect(log.seen).toMatchObject({ text: 'mine\n', epochs: [], troubles: ['not_permitted'] })
  })

  it('reads only what it may, however often the path is redirected', async () => {
    writeFileSync(join(root, 'mine'), 'mine\n')
    writeFileSync(join(root, 'other'), 'not mine\n')
    symlinkSync(join(root, 'mine'), path)
    const refusal = fail({ kind: 'forbidden', code: 'not_permitted', message: 'It lies outside.' })
    await using log = following({ checkPath: async (name) => (name.endsWith('other') ? refusal : ok(undefined)) })
    for (let turn = 0; turn < 400; turn += 1) {
      const looking = log.look()
      symlinkSync(join(root, turn % 2 ? 'mine' : 'other'), `${path}.new`)
      renameSync(`${path}.new`, path)
      await looking
    }
    expect(log.seen.text).not.toContain('not mine')
  })

  it('uses little memory however fast the log grows', async () => {
    writeFileSync(path, '')
    truncateSync(path, 300_000_000)
    let total = 0
    let largest = 0
    let waiting = 0
    await using log = followFile(
      { path, position: 0, typescript: false, checkPath: async () => ok(undefined), pollMs: null },
      {
        async bytes(chunk) {
          waiting += 1
          expect(waiting).toBe(1)
          total += chunk.length
          largest = Math.max(largest, chunk.length)
          await Promise.resolve()
          waiting -= 1
        },
        epoch: () => {},
        trouble: () => {},
      },
    )
    await log.look()
    expect(total).toBe(300_000_000)
    expect(largest).toBeLessThanOrEqual(256 * 1024)
  })

  it('leaves out the lines script adds, even if they come in parts', async () => {
    writeFileSync(path, 'Script star')
    await using log = following({ typescript: true })
    await log.look()
    appendFileSync(path, 'ted on 2026-01-01 00:00:00+00:00 [TERM="xterm"]\n$ echo Scr')
    await log.look()
    appendFileSync(
      path,
      'ipt\r\nScript\r\n$ exit\r\n\nScript done on 2026-01-01 00:00:01+00:00 [COMMAND_EXIT_CODE="0"]\n',
    )
    await log.look()
    await log.look()
    expect(log.seen.text).toBe('$ echo Script\r\nScript\r\n$ exit\r\n\n')
    expect(log.seen.at[0]).toBe(59)
  })

  it('notices appended lines automatically', async () => {
    writeFileSync(path, 'one\n')
    const heard = Promise.withResolvers<string>()
    let text = ''
    await using _ = followFile(
      { path, position: 0, typescript: false, checkPath: async () => ok(undefined), pollMs: 20 },
      {
        async bytes(chunk) {
          text += chunk.toString()
          if (text === 'one\n') appendFileSync(path, 'two\n')
          if (text === 'one\ntwo\n') heard.resolve(text)
        },
        epoch: () => {},
        trouble: () => {},
      },
    )
    expect(await heard.promise).toBe('one\ntwo\n')
  })
})

describe('a log that was not followed for a while', () => {
  const first = 'as it was at first\n'.repeat(100)

  /** Followed to its end, left alone, changed, and followed again. */
  async function changed(change: () => void) {
    writeFileSync(path, first)
    const before = following()
    await before.look()
    await before[Symbol.asyncDispose]()
    change()
    const log = following({ position: before.position, mark: before.mark() })
    await log.look()
    await log[Symbol.asyncDispose]()
    return log.seen
  }

  it('that only grew continues', async () => {
    const { text, epochs } = await changed(() => appendFileSync(path, 'more\n'))
    expect({ text, epochs }).toEqual({ text: 'more\n', epochs: [] })
  })

  it('that was rotated starts again, even if the new one is longer', async () => {
    const next = 'another log\n'.repeat(1000)
    const { text, epochs } = await changed(() => {
      renameSync(path, `${path}.1`)
      writeFileSync(path, next)
    })
    expect(epochs).toEqual(['1 replaced'])
    expect(text).toBe(next)
  })

  it('that was rotated starts again, even if the new one begins with the same text', async () => {
    const { text, epochs } = await changed(() => {
      renameSync(path, `${path}.1`)
      writeFileSync(path, `${first}more\n`)
    })
    expect(epochs).toEqual(['1 replaced'])
    expect(text).toBe(`${first}more\n`)
  })

  it('that was truncated and rewritten in the same file starts again, even if it is longer', async () => {
    const next = 'written by another\n'.repeat(1000)
    const { text, epochs } = await changed(() => {
      truncateSync(path, 0)
      appendFileSync(path, next)
    })
    expect(epochs).toEqual(['1 replaced'])
    expect(text).toBe(next)
  })

  it('that was rewritten before it was first read starts again', async () => {
    writeFileSync(path, first)
    const mark = await markNow(path, first.length, async () => ok(undefined))
    const next = 'written by another\n'.repeat(1000)
    writeFileSync(path, next)
    await using log = following({ position: first.length, mark })
    await log.look()
    expect([log.seen.epochs, log.seen.text]).toEqual([['1 replaced'], next])
  })

  it('whose restart was seen but not recorded starts again', async () => {
    writeFileSync(path, first)
    await using log = following({ position: 5, mark: { epoch: 1, inode: '0', position: 0, before: '' } })
    await log.look()
    expect([log.seen.epochs, log.seen.text]).toEqual([['1 replaced'], first])
  })

  it('with nothing remembered about this epoch continues', async () => {
    writeFileSync(path, first)
    await using log = following({ position: 5, epoch: 2, mark: { epoch: 1, inode: '0', position: 0, before: '' } })
    await log.look()
    expect([log.seen.epochs, log.seen.text]).toEqual([[], first.slice(5)])
  })
})
