import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))
const { uid } = userInfo()
const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

type Ran = { code: number; output: string }

/** Ends it as soon as it reports that it is ready. */
function run(env: Record<string, string>, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    let output = ''
    const options = { env: { PATH: process.env['PATH'] ?? '', ...env }, timeout: 60_000 }
    const child = execFile(process.execPath, [program, ...args], options, (error) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output })
    })
    const heard = (text: string) => {
      output += text
      if (output.includes('http://')) child.kill('SIGTERM')
    }
    child.stdout?.on('data', heard)
    child.stderr?.on('data', heard)
  })
}

describe('S2 sockets of a data directory with a long path', () => {
  let temporary = ''
  let home = ''
  let shared = ''
  let env: Record<string, string> = {}
  beforeEach(async () => {
    temporary = await realpath(await mkdtemp(join(tmpdir(), 'sbs-')))
    folders.push(temporary)
    await chmod(temporary, 0o1777)
    home = join(temporary, 'a'.repeat(60), 'b'.repeat(60))
    await mkdir(home, { recursive: true, mode: 0o700 })
    shared = join(temporary, `signalbox-${uid}`)
    env = { TMPDIR: temporary, HOME: temporary, SIGNALBOX_HOME: home, SIGNALBOX_HTTP_PORT: '0' }
  })

  it('S2 are in a directory that no other user can enter', async () => {
    const { output } = await run(env, 'serve')
    expect(output).toContain('http://')
    const found = await stat(shared)
    expect([found.uid, found.mode & 0o777]).toEqual([uid, 0o700])
  })

  const planted: readonly (readonly [name: string, plant: () => Promise<unknown>, isRoot: boolean])[] = [
    [
      'belongs to another user',
      async () => {
        await mkdir(shared, { mode: 0o700 })
        await chown(shared, 65_534, 65_534)
      },
      true,
    ],
    [
      'is a link',
      async () => {
        await mkdir(join(temporary, 'theirs'), { mode: 0o700 })
        await symlink(join(temporary, 'theirs'), shared)
      },
      false,
    ],
    [
      'others can write to',
      async () => {
        await mkdir(shared)
        await chmod(shared, 0o777)
      },
      false,
    ],
  ]
  for (const [name, plant, isRoot] of planted)
    it.skipIf(isRoot && uid !== 0)(`S2 are not put into a directory that ${name}`, async () => {
      await plant()
      const { code, output } = await run(env, 'serve')
      expect(code).not.toBe(0)
      expect(output).toContain(`can't use ${shared} for its sockets`)
      expect(await readdir(shared)).toEqual([])
    })

  it('S2 a foreign listener in such a directory is not mistaken for the server', async () => {
    await mkdir(shared)
    await chmod(shared, 0o777)
    const said: string[] = []
    const servers = []
    for (const name of ['signalbox', 'keeper']) {
      const { createHash } = await import('node:crypto')
      const mark = createHash('sha256').update(home).digest('hex').slice(0, 16)
      const server = createServer((socket) => socket.on('data', (bytes) => said.push(bytes.toString())))
      await new Promise<void>((resolve) => server.listen(join(shared, `${name}-${mark}.sock`), resolve))
      servers.push(server)
    }
    const { code, output } = await run(env, 'sessions')
    expect(code).not.toBe(0)
    expect(output).toContain(`can't use ${shared} for its sockets`)
    expect(said).toEqual([])
    for (const server of servers) server.close()
    expect(existsSync(shared)).toBe(true)
  })
})
