import { once } from 'node:events'
import { createServer } from 'node:net'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { allowedMounts, isSecretName } from './container-mounts.ts'

describe('mounts of a container', () => {
  let root: string
  const at = (...path: string[]) => join(root, ...path)
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'sbm-')))
    for (const folder of ['shared/sub/.ssh', 'private', 'data']) await mkdir(at(folder), { recursive: true })
    await writeFile(at('shared/.env'), 'KEY=1')
    await writeFile(at('shared/open.txt'), 'open')
    await symlink(at('private'), at('shared/way-out'))
  })
  afterEach(() => rm(root, { recursive: true }))

  const blank = { file: '/blank/file', directory: '/blank/directory' }
  const ask = (from: string, more: { to?: string; write?: boolean; grant?: boolean } = {}) =>
    allowedMounts([{ from, to: more.to ?? null, write: more.write ?? false }], {
      allowed: [{ path: at('shared'), write: more.grant ?? false }],
      dataDir: at('data'),
      blank,
    })
  const refusal = async (...asked: Parameters<typeof ask>) => {
    const found = await ask(...asked)
    return found.ok ? 'allowed' : found.fault.message
  }

  it('are what the list allows and what is below it, with secrets covered', async () => {
    expect(await ask(at('shared'))).toEqual({
      ok: true,
      value: [
        { from: at('shared'), to: at('shared'), write: false },
        { from: '/blank/file', to: at('shared/.env'), write: false },
        { from: '/blank/directory', to: at('shared/sub/.ssh'), write: false },
      ],
    })
    expect(await refusal(at('shared/sub'), { to: '/srv/here' })).toBe('allowed')
  })

  it('have nothing open that was buried deep, closed to us, or is a socket', async () => {
    const deep = at('shared', ...Array.from({ length: 30 }, () => 'd'))
    await mkdir(join(deep, 'here'), { recursive: true })
    await writeFile(join(deep, 'here', '.env.production'), 'KEY=1')
    const server = createServer().listen(at('shared/sub/some.sock'))
    await once(server, 'listening')
    await mkdir(at('shared/closed'))
    await writeFile(at('shared/closed/id_rsa'), 'private')
    await chmod(at('shared/closed'), 0)
    const found = await ask(at('shared'), { write: true, grant: true })
    await chmod(at('shared/closed'), 0o700)
    server.close()
    const places = found.ok ? found.value.map(({ to }) => to) : []
    expect(places).toContain(join(deep, 'here', '.env.production'))
    expect(places).toContain(at('shared/sub/some.sock'))
    // Root reads it all the same, and covers what is in it.
    expect(places.some((to) => [at('shared/closed'), at('shared/closed/id_rsa')].includes(to))).toBe(true)
  })

  it('are refused elsewhere, also if a link leads there', async () => {
    expect(await refusal(at('private'))).toMatch(/not in containers\.mounts/)
    expect(await refusal(at('shared/way-out'))).toMatch(/private is not in containers\.mounts/)
    expect(await refusal(at('shared/missing'))).toMatch(/does not exist/)
    expect(await refusal(at('shared/../private'))).toMatch(/not in containers\.mounts/)
  })

  it('are writable only if that was granted', async () => {
    expect(await refusal(at('shared/sub'), { write: true })).toMatch(/read-only/)
    expect(await refusal(at('shared/sub'), { write: true, grant: true })).toBe('allowed')
  })

  it('never are secrets, data of Signalbox, or on top of the system', async () => {
    expect(await refusal(at('shared/.env'))).toMatch(/\.env may hold secrets/)
    expect(await refusal(at('shared/sub/.ssh'))).toMatch(/\.ssh may hold secrets/)
    for (const to of [
      '/etc/x',
      '/usr',
      '/',
      '/proc/self',
      '/signalbox/relay.js',
      'relative',
      '/srv/../etc',
      '//etc',
      '/./etc',
      '/srv//../etc',
      '/etc/.',
    ])
      expect(await refusal(at('shared/sub'), { to })).toMatch(/is not visible at/)
    const all = { allowed: [{ path: root, write: true }], dataDir: at('data'), blank }
    for (const from of [root, at('data')])
      expect(await allowedMounts([{ from, to: null, write: false }], all)).toMatchObject({ ok: false })
  })

  it('knows names of secrets, and examples without any', () => {
    expect(['.env', '.env.local', 'id_ed25519', 'server.key', 'credentials.json', '.aws'].every(isSecretName)).toBe(
      true,
    )
    expect(['.env.example', 'key.ts', 'environment', 'keys.md', 'secretary.txt'].some(isSecretName)).toBe(false)
  })
})
