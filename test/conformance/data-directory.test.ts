import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { cleanEnv, freshHome, runCli, startServer } from '../support/server.ts'
import { newAgent } from './work.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('the data directory', () => {
  it('R20 a directory with only a config.toml of its owner is used, and closed to others', async () => {
    await using server = await startServer({ config: 'max_concurrent_sessions = 7\n' })
    await server.kill('SIGTERM')
    for (const name of ['node-id', 'signalbox.db', 'run']) await rm(join(server.home, name), { recursive: true })
    chmodSync(server.home, 0o755)
    await server.restart()
    expect(modeOf(server.home)).toBe(0o700)
  })

  it('R20 a directory that others use is refused and left alone', async () => {
    const home = await freshHome()
    try {
      mkdirSync(join(home, 'holiday-pictures'))
      writeFileSync(join(home, 'notes.txt'), 'not ours')
      chmodSync(home, 0o755)
      const ran = await runCli(['serve'], cleanEnv({ SIGNALBOX_HOME: home, SIGNALBOX_HTTP_PORT: '0' }))
      expect(ran.code).toBe(1)
      expect(ran.stdout + ran.stderr).toMatch(/is accessible to others[^]*SIGNALBOX_HOME/)
      expect(modeOf(home)).toBe(0o755)
    } finally {
      await rm(home, { recursive: true })
    }
  })

  it('R3 an agent learns whose it is, not its person’s roles or identities', async () => {
    await using server = await startServer()
    const seen = async (api: Api) =>
      (await api.get<{ user: { roles: unknown[]; identities: unknown[] } }>('/api/me')).user
    expect(await seen(await newAgent(server))).toMatchObject({ roles: [], identities: [] })
    expect((await seen(server.api())).roles).toHaveLength(1)
  })
})
