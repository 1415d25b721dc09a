import { appendFile, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, type Person } from '../conformance/people.ts'
import type { Ask, Session } from '../conformance/shapes.ts'
import { newToken } from '../conformance/work.ts'
import { usualDatabases, startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openTestDirectories, type TestDirectories, type Repo } from './test-directories.ts'

type Terminal = { sessionId: string }
const script = (...command: string[]) => ({ sessionType: 'script', command, cwd: '/' })

describe.each(usualDatabases)('a person with a login and no role on %s', (database) => {
  let server: Server
  let directories: TestDirectories
  let repo: Repo
  let eve: Person
  beforeAll(async () => {
    directories = await openTestDirectories()
    const logs = await directories.directory('logs')
    const config = `[terminal]\nwatch_roots = ["${logs}"]\nask_after_seconds = 0\n[commands]\nwho = "id"\n`
    server = await startServer({ database, config })
    repo = await directories.repo(server.api(), 'shop')
    eve = await newPerson(server, 'Eve')
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await directories?.[Symbol.asyncDispose]()
  })

  it('S1 runs no program as the server’s user, and is told whom to ask', async () => {
    const file = join(directories.path, 'ran')
    const refused = await eve.api.refused('POST', '/api/terminals', script('sh', '-c', `id > ${file}`))
    expect([refused.status, refused.code]).toEqual([403, 'needs_machine'])
    expect(refused.message).toBe("Running programs as the server's user needs the machine right.")
    expect(refused.hint).toMatch(/^Ask an owner \(\S.*\): signalbox roles grant machine Eve\. Without it, /)
    await expect(readFile(file)).rejects.toThrow('ENOENT')
    const ssh = await eve.api.refused('POST', '/api/terminals', { sessionType: 'ssh', host: 'localhost' })
    expect(ssh.code).toBe('needs_machine')
  })

  it('S1 follows no log outside terminal.watch_roots, and learns nothing of what is there', async () => {
    const secret = join(directories.path, 'secret')
    await writeFile(secret, 'for nobody\n')
    for (const logFile of [
      secret,
      join(directories.path, 'not-there'),
      join(directories.path, 'logs', '..', 'secret'),
    ]) {
      const refused = await eve.api.refused('POST', '/api/terminals', { sessionType: 'file', logFile })
      expect([logFile, refused.status, refused.code]).toEqual([logFile, 403, 'needs_machine'])
    }
    const own = { sessionType: 'file', logFile: join(server.home, 'signalbox.db') }
    expect((await eve.api.refused('POST', '/api/terminals', own)).status).toBe(403)
  })

  it('S1 follows a log in terminal.watch_roots, and no link leads out of it later', async () => {
    const logFile = join(directories.path, 'logs', 'a.log')
    const secret = join(directories.path, 'secret-2')
    await writeFile(logFile, '')
    await writeFile(secret, '')
    const { sessionId } = await eve.api.post<Terminal>('/api/terminals', { sessionType: 'file', logFile })
    const text = async () => (await eve.api.get<{ text: string }>(`/api/terminals/${sessionId}/updates`)).text
    await appendFile(logFile, 'in sight\n')
    await until(async () => (await text()).includes('in sight'))
    await rename(logFile, `${logFile}.1`)
    await symlink(secret, logFile)
    await appendFile(secret, 'out of sight\n')
    await until(() => server.log().includes('not_permitted'), { what: 'a refusal in the log' })
    expect(await text()).not.toContain('out of sight')
  })

  it('S1 starts no agent outside a sandbox, and runs no registered command', async () => {
    const body = { protocolMode: 'acp', agent: 'practice', repoId: repo.id, isolation: 'none' }
    const refused = await eve.api.refused('POST', '/api/sessions', body)
    expect([refused.status, refused.code]).toEqual([403, 'needs_machine'])
    const session = await eve.api.post<Session>('/api/sessions', { protocolMode: 'mcp', repoId: repo.id })
    const ran = await eve.api.refused('POST', `/api/sessions/${session.id}/run`, { alias: 'who' })
    expect([ran.status, ran.code]).toEqual([403, 'needs_machine'])
    expect(await eve.api.get('/api/commands')).toEqual({ commands: [] })
    expect((await eve.api.refused('GET', '/api/agents?probe=true')).code).toBe('needs_machine')
  })

  it('S1 can’t type into a delegated terminal: the right is not delegated', async () => {
    // A connection for each request: the server may close a kept one at that moment.
    const owner = server.api().as({ connection: 'close' })
    const api = eve.api.as({ connection: 'close' })
    const { sessionId: id } = await owner.post<Terminal>('/api/terminals', script('bash', '-c', 'read -p "Name? " a'))
    await owner.put(`/api/sessions/${id}/delegates/${eve.id}`)
    const typed = await api.refused('POST', `/api/terminals/${id}/input`, { text: 'id', pressEnter: true })
    expect([typed.status, typed.code]).toEqual([403, 'needs_machine'])
    const ask = await until(async () => {
      const { asks } = await owner.get<{ asks: Ask[] }>(`/api/asks?sessionId=${id}&status=open`)
      return asks[0]
    })
    const answered = await api.refused('POST', `/api/asks/${ask.id}/answer`, { outcome: 'reply', value: 'id' })
    expect(answered.code).toBe('needs_machine')
    await owner.post(`/api/terminals/${id}/end`)
  })

  it('S1 nor does a token of theirs, whatever its scope', async () => {
    for (const scope of ['full', 'read', 'agent']) {
      const { token } = await newToken(eve.api, { name: scope, scope })
      const refused = await server.api(token).refused('POST', '/api/terminals', script('id'))
      expect([scope, refused.status]).toEqual([scope, 403])
    }
  })

  it('S1 may do all of it once an owner grants machine, and nothing once that is revoked', async () => {
    const owner = server.api()
    const role = { role: 'machine' }
    const raised = await eve.api.refused('POST', `/api/users/${eve.id}/roles`, role)
    expect([raised.status, raised.code]).toEqual([403, 'not_yourself'])
    const admin = await newPerson(server, 'Adam')
    await owner.post(`/api/users/${admin.id}/roles`, { role: 'admin' })
    expect((await admin.api.refused('POST', `/api/users/${eve.id}/roles`, role)).code).toBe('needs_role')
    const grouped = { ...role, agentGroupId: crypto.randomUUID() }
    expect((await owner.refused('POST', `/api/users/${eve.id}/roles`, grouped)).code).toBe('machine_is_global')

    expect(await eve.api.get('/api/me')).toMatchObject({ may: { machine: false, administer: false, grant: false } })
    const granted = await server.cli('roles', 'grant', 'machine', 'Eve')
    expect([granted.code, granted.stderr]).toEqual([0, ''])
    expect((await server.cli('users')).stdout).toMatch(/Eve +machine/)
    expect(await eve.api.get('/api/me')).toMatchObject({ may: { machine: true, administer: false, grant: false } })
    const file = join(directories.path, 'ran-2')
    const { sessionId } = await eve.api.post<Terminal>('/api/terminals', script('sh', '-c', `id > ${file}; read a`))
    await until(() => readFile(file, 'utf8').then(Boolean, () => false))
    const log = join(directories.path, 'free.log')
    await writeFile(log, '')
    const followed = await eve.api.post<Terminal>('/api/terminals', { sessionType: 'file', logFile: log })

    expect((await server.cli('roles', 'revoke', 'machine', 'Eve')).code).toBe(0)
    const typed = await eve.api.refused('POST', `/api/terminals/${sessionId}/input`, { text: 'x', pressEnter: true })
    expect(typed.code).toBe('needs_machine')
    expect((await eve.api.refused('POST', '/api/terminals', script('id'))).code).toBe('needs_machine')
    // Logs that she followed with that right are no longer followed.
    const state = async () => (await eve.api.get<{ state: string }>(`/api/terminals/${followed.sessionId}`)).state
    await until(async () => (await state()) === 'stopped')
    await eve.api.post(`/api/terminals/${sessionId}/end`)
  })
})
