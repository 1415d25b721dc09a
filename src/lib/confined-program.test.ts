import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { confinedProgram, type Program, type Sight } from './confined-program.ts'

let folder = ''
let shell: Program
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sbcp-')))
  // Bash, because confined programs must support `--version`.
  shell = (await confinedProgram('bash'))!
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const env = { PATH: '/usr/bin:/bin' }
const run = (script: string, sees: Sight = {}, timeMs = 20_000, more: { mostBytes?: number } = {}) =>
  shell.run({ args: ['-c', script], cwd: sees.everything ? '/' : (sees.write?.[0] ?? '/'), env, sees, timeMs }, more)
const said = async (script: string, sees: Sight = {}) => (await run(script, sees)).stdout.toString()

const isAlive = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
const sandbox = (await confinedProgram('bash'))?.confined === true

describe.skipIf(!sandbox)('a confined program', () => {
  it('sees the system, the paths it is given, and nothing else', async () => {
    const [shown, hidden] = [join(folder, 'shown'), join(folder, 'hidden')]
    for (const path of [shown, hidden]) mkdirSync(path)
    writeFileSync(join(shown, 'file'), 'x')
    expect((await said(`ls ${folder}`, { read: [shown] })).trim()).toBe('shown')
    expect((await said('ls /', { read: [shown] })).trim().split('\n')).not.toContain('proc')
    expect(await said(`ls -A /home /root /var /sys 2>/dev/null`)).toBe('')
    expect(await said('ls /etc')).not.toMatch(/shadow|ssl|hostname/)
  })

  it('that takes too long leaves no process behind', async () => {
    const child = shell.start({ args: ['-c', 'sleep 600 & sleep 600'], cwd: '/', env, sees: {}, timeMs: 500 })
    const inside = await new Promise<string>((resolve) => {
      const look = setInterval(() => {
        const found = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
        if (found !== '') resolve(found)
        if (found !== '') clearInterval(look)
      }, 5)
    })
    const end = await new Promise((resolve) => void child.once('close', (...how) => resolve(how)))
    // It exited on its own after its child had ended.
    expect(end).toEqual([137, null])
    expect(existsSync(`/proc/${inside}`)).toBe(false)
  })

  it('writes only where it may', async () => {
    const [ro, rw] = [join(folder, 'ro'), join(folder, 'rw')]
    for (const path of [ro, rw]) mkdirSync(path)
    await run(`echo x > ${ro}/a; echo x > ${rw}/a; echo x > /usr/a-mark; echo x > ${folder}/b`, {
      read: [ro],
      write: [rw],
    })
    expect([readdirSync(ro), readdirSync(rw), readdirSync(folder).toSorted()]).toEqual([[], ['a'], ['ro', 'rw']])
    expect(existsSync('/usr/a-mark')).toBe(false)
  })

  it('has only its own network and processes', async () => {
    expect((await said('cat /sys/class/net/*/address 2>/dev/null; echo $$')).trim()).toMatch(/^\d$/)
    expect(await said('(echo > /dev/tcp/127.0.0.1/1) 2>&1')).toContain('refused')
  })

  it('sees other content in a replaced file, and nothing in a hidden one', async () => {
    mkdirSync(join(folder, 'data'))
    writeFileSync(join(folder, 'data/db'), 'x')
    writeFileSync(join(folder, 'config'), 'theirs')
    const sees = {
      read: [folder],
      hidden: [join(folder, 'data')],
      replaced: [{ path: join(folder, 'config'), text: 'ours' }],
    }
    expect(await said(`cat ${folder}/config; ls -A ${folder}/data`, sees)).toBe('ours')
    expect(readFileSync(join(folder, 'config'), 'utf8')).toBe('theirs')
  })

  it('is ended with everything it started: at its time limit, with too much output, and when its turn is over', async () => {
    const marked = `sleep-${process.pid}-${Date.now()}`
    const left = () =>
      execFileSync('/bin/sh', ['-c', `grep -lz ${marked} /proc/[0-9]*/environ 2>/dev/null || true`], {
        encoding: 'utf8',
      })
        .split('\n')
        .filter((line) => line !== '' && isAlive(Number(line.split('/')[2])))
    const begin = (script: string, timeMs: number, mostBytes?: number) =>
      shell.run(
        { args: ['-c', script], cwd: '/', env: { ...env, MARK: marked }, sees: {}, timeMs },
        mostBytes === undefined ? {} : { mostBytes },
      )
    const background = 'setsid sleep 1000 & (setsid sh -c "sleep 1000 &") & '
    expect(await begin(`${background} sleep 1000`, 500)).toMatchObject({ timedOut: true, code: null })
    expect(await begin(`${background} yes`, 20_000, 1000)).toMatchObject({ tooLong: true })
    expect(await begin(`${background} exit 3`, 20_000)).toMatchObject({ code: 3, timedOut: false })
    await expect.poll(left).toEqual([])
  })

  it('gets nothing from our environment', async () => {
    process.env['SIGNALBOX_TEST_SECRET'] = 'secret'
    const words = await said('env')
    delete process.env['SIGNALBOX_TEST_SECRET']
    expect(words).not.toContain('secret')
  })
})

describe('a missing program', () => {
  it('is null', async () => expect(await confinedProgram('no-such-program-of-ours')).toBeNull())
})
