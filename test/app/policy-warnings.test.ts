import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { App } from '../../src/app/app.ts'
import type { LoadedConfig } from '../../src/config/index.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { createPolicy } from '../../src/server/policy.ts'
import { until } from '../support/until.ts'

it('every session in a workspace learns that its policy has faults, however many there are', async () => {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-policy-'))
  try {
    mkdirSync(join(root, '.signalbox'))
    writeFileSync(join(root, '.signalbox', 'settings.json'), '{"enabled":')
    const sessions = Array.from({ length: 250 }, (_, n) => ({
      id: `s${n}`,
      createdAt: `t${n}`,
      workspaceRoot: n % 100 === 49 ? root : '/elsewhere',
    }))
    const told: string[] = []
    const app = {
      read: {
        confirmedRules: async () => [],
        trust: async () => ({ kind: 'repo', by: null, at: null }),
        sessions: async (_standing: unknown, { limit, before }: { limit: number; before?: { id: string } }) => {
          const from = before ? sessions.findIndex(({ id }) => id === before.id) + 1 : 0
          return { ok: true, value: { sessions: sessions.slice(from, from + limit), total: sessions.length } }
        },
      },
      dispatch: async ({ id }: { id: string }) => void told.push(id),
      tail: { listen: () => {} },
    } as unknown as App
    const loaded = { config: { commands: {} }, dataDir: '/data', file: null } as unknown as LoadedConfig
    const { ruleFor, serve } = createPolicy({ loaded, log: silentLogger })
    serve(app)
    await ruleFor({ kind: 'command', command: 'npm test', cwd: root }, root, 'low')
    await until(() => told.length >= 3)
    expect(told).toEqual(['s49', 's149', 's249'])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
