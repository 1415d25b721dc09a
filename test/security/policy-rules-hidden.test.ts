import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson } from '../conformance/people.ts'
import type { Ask } from '../conformance/shapes.ts'
import { openAsk, roomy, startSession } from '../conformance/work.ts'
import type { Api } from '../support/api.ts'
import { usualDatabases, startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openTestDirectories, type TestDirectories } from './test-directories.ts'

type Rules = { rules: { workspaceRoot: string }[] }

describe.each(usualDatabases)('the rules of a workspace on %s', (database) => {
  let server: Server
  let directories: TestDirectories
  let owner: Api
  beforeAll(async () => {
    directories = await openTestDirectories()
    server = await startServer({ database, config: `${roomy}[commands]\nall = "make all"\n` })
    owner = server.api()
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await directories?.[Symbol.asyncDispose]()
  })

  it('S1 are shown only to people who may use it or work in it', async () => {
    const path = await directories.directory('hidden-place')
    const repo = await directories.repo(owner, 'open-place')
    for (const workspaceRoot of [path, repo.path]) {
      const session = await startSession(owner, { workspaceRoot })
      const subject = { kind: 'command', command: 'make all', cwd: workspaceRoot }
      const ask = await openAsk(owner, session, { subject })
      await owner.post<Ask>(`/api/asks/${ask.id}/answer`, { outcome: 'approve', always: true })
    }
    await until(async () => (await owner.get<Rules>('/api/policy/rules')).rules.length === 2)
    const eve = await newPerson(server, 'Eve')
    const shown = (await eve.api.get<Rules>('/api/policy/rules')).rules.map(({ workspaceRoot }) => workspaceRoot)
    expect(shown).toEqual([repo.path])
    const log = await eve.api.get('/api/audit?limit=100')
    expect(JSON.stringify(log)).not.toContain('hidden-place')
  })
})
