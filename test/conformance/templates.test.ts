import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databases } from '../support/server.ts'
import { git, openAgentsHarness, type AgentsHarness } from './agents-harness.ts'
import { newPerson } from './people.ts'
import { openRunHarness } from './terminals-run-harness.ts'

type Field = { name: string; choices: string[] | null; default: string | null }
type Template = {
  id: string | null
  name: string
  source: string
  text: string
  description: string
  fields: Field[]
  agentGroupId: string | null
  path: string | null
  revision: number | null
  mayChange: boolean
}
type Offered = { templates: Template[]; problems: { path: string; why: string }[] }

describe.each(databases)('templates of prompts on %s', (database) => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ database })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const add = (body: object, api = harness.api) => api.post<Template>('/api/templates', body)
  const list = (query = '', api = harness.api) => api.get<Offered>(`/api/templates${query}`)
  const refusal = (method: string, path: string, body?: object, api = harness.api) => api.refused(method, path, body)
  async function newRepo(files: Record<string, string> = {}): Promise<{ id: string; path: string }> {
    const path = await harness.workspace()
    git(path, 'init', '--quiet', '--initial-branch=main')
    git(path, 'commit', '--quiet', '--allow-empty', '--message=first')
    await mkdir(join(path, '.signalbox', 'prompts'), { recursive: true })
    for (const [name, text] of Object.entries(files)) await writeFile(join(path, '.signalbox', 'prompts', name), text)
    return harness.api.post('/api/repos', { path })
  }
  const newGroup = (name: string) => harness.api.post<{ id: string }>('/api/agent-groups', { name })

  it('B17 fields, defaults and choices are read, and filled in only as text', async () => {
    const text = 'Fix {issue} in {area:web|server=web} for {who=everyone}. {{kept}} {a b} {color:red} ${HOME} {issue}'
    const made = await add({ name: 'fix', text })
    expect(made.fields).toEqual([
      { name: 'issue', choices: null, default: null },
      { name: 'area', choices: ['web', 'server'], default: 'web' },
      { name: 'who', choices: null, default: 'everyone' },
    ])
    const fill = (values: object) =>
      harness.api.post<{ text: string }>('/api/templates/fill', { template: 'fix', values })
    expect((await fill({ issue: '{who} $(id) `id`' })).text).toBe(
      'Fix {who} $(id) `id` in web for everyone. {kept} {a b} {color:red} ${HOME} {who} $(id) `id`',
    )
    expect((await fill({ issue: '1', area: 'server', who: '' })).text).toContain('Fix 1 in server for .')
    const missing = await refusal('POST', '/api/templates/fill', { template: 'fix', values: { who: 'us' } })
    expect(missing).toMatchObject({ status: 400, code: 'missing_fields', details: { fields: [{ name: 'issue' }] } })
    const wrong = async (values: object) =>
      (await refusal('POST', '/api/templates/fill', { template: 'fix', values })).code
    expect(await wrong({ issue: '1', area: 'elsewhere' })).toBe('value_not_offered')
    expect(await wrong({ issue: '1', other: 'x' })).toBe('unknown_field')
    expect(await refusal('POST', '/api/templates/fill', { template: 'none' })).toMatchObject({ status: 404 })
  })

  it('B17 sizes are bounded, and what can not be a template is refused', async () => {
    const code = async (body: object) => (await refusal('POST', '/api/templates', body)).code
    const fields = Array.from({ length: 21 }, (_, index) => `{f${index}}`).join(' ')
    expect(await code({ name: 'many', text: fields })).toBe('invalid_template')
    expect(await code({ name: 'two', text: '{a=1} {a=2}' })).toBe('invalid_template')
    expect(await code({ name: 'off', text: '{a:b|c=d}' })).toBe('invalid_template')
    expect(await code({ name: 'long', text: 'x'.repeat(100_001) })).toBe('invalid_request')
    expect(await code({ name: '../up', text: 'x' })).toBe('invalid_request')
    expect(await code({ name: 'empty', text: ' \n' })).toBe('invalid_request')
    await add({ name: 'grows', text: '{a}'.repeat(30_000) })
    expect(
      await refusal('POST', '/api/templates/fill', { template: 'grows', values: { a: 'x'.repeat(100_000) } }),
    ).toMatchObject({ status: 413, code: 'prompt_too_long' })
    // A text made to be hard to read is read as fast as any other.
    const started = performance.now()
    await add({ name: 'hostile', text: '{a:|'.repeat(24_999) })
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it('B17 own templates are for their person alone; those of a group for its people', async () => {
    const group = await newGroup('Helpers')
    const [member, other] = [await newPerson(harness.server, 'Mia'), await newPerson(harness.server, 'Otto')]
    await harness.api.put(`/api/agent-groups/${group.id}/members/${member.id}`)
    const own = await add({ name: 'mine', text: 'Mine.' }, member.api)
    const shared = await add({ name: 'mine', text: 'Ours.', agentGroupId: group.id })
    const names = async (api: typeof harness.api) => (await list('', api)).templates.map(({ id }) => id)
    expect(await names(member.api)).toEqual(expect.arrayContaining([own.id, shared.id]))
    expect(await names(other.api)).toEqual([])
    expect(await names(harness.api)).not.toContain(own.id)
    const fill = (template: string) => member.api.post<{ text: string }>('/api/templates/fill', { template })
    expect((await fill('mine')).text).toBe('Mine.')
    expect((await fill('Helpers/mine')).text).toBe('Ours.')
    expect(await refusal('PATCH', `/api/templates/${own.id}`, { text: 'x' })).toMatchObject({ status: 404 })
    expect(await refusal('PATCH', `/api/templates/${shared.id}`, { text: 'x' }, member.api)).toMatchObject({
      status: 403,
      code: 'needs_role',
    })
    expect(await refusal('DELETE', `/api/templates/${shared.id}`, undefined, other.api)).toMatchObject({ status: 404 })
    const forGroup = { name: 'new', text: 'x', agentGroupId: group.id }
    expect(await refusal('POST', '/api/templates', forGroup, member.api)).toMatchObject({ code: 'needs_role' })
    await harness.api.delete(`/api/agent-groups/${group.id}`)
    expect(await names(member.api)).toEqual([own.id])
  })

  it('B17 two people change one at once: one is told; a name is taken once; it outlives a restart', async () => {
    const { id, revision } = await add({ name: 'both', text: 'First.' })
    const change = (text: string) => harness.api.send('PATCH', `/api/templates/${id}`, { body: { text, revision } })
    const done = await Promise.all([change('One.'), change('Two.')])
    expect(done.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const once = await Promise.all(
      ['a', 'b', 'c'].map((text) => harness.api.send('POST', '/api/templates', { body: { name: 'same', text } })),
    )
    expect(once.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
    const { templates: before } = await list()
    await harness.server.restart()
    expect((await list()).templates).toEqual(before)
    expect(before.find((one) => one.id === id)?.revision).toBe(2)
    await harness.api.delete(`/api/templates/${id}`)
    expect((await list()).templates.map((one) => one.id)).not.toContain(id)
    const { events } = await harness.api.get<{ events: { type: string; data: object }[] }>('/api/audit?limit=500')
    const told = events.filter(({ type }) => type.startsWith('template.'))
    expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(['template.changed', 'template.removed']))
    expect(JSON.stringify(told)).not.toContain('First.')
  })

  it('B17 a repo keeps its own in files: read where people vouched for it, links and odd files are not', async () => {
    const repo = await newRepo({
      'review.md': '---\ndescription: Look at a change\n---\nReview {what=the last commit}.\n',
      'plain.md': 'Just words.\r\n',
      'Bad Name.md': 'x',
      'broken.md': '{a:b|c=d}',
      'notes.txt': 'not a template',
    })
    const folder = join(repo.path, '.signalbox', 'prompts')
    await writeFile(join(repo.path, 'secret.txt'), 'secret words')
    await symlink(join(repo.path, 'secret.txt'), join(folder, 'link.md'))
    const found = await list(`?repoId=${repo.id}`)
    expect(found.templates.filter(({ source }) => source === 'workspace')).toMatchObject([
      { name: 'plain', text: 'Just words.', path: '.signalbox/prompts/plain.md', mayChange: false, id: null },
      { name: 'review', description: 'Look at a change', fields: [{ name: 'what', default: 'the last commit' }] },
    ])
    expect(found.problems.map(({ path }) => path.split('/').at(-1) ?? '').toSorted()).toEqual([
      'Bad Name.md',
      'broken.md',
      'link.md',
    ])
    expect(JSON.stringify(found)).not.toContain('secret words')
    // In a session of it; also in a worktree, which the agent can write to.
    const session = await harness.start({ repoId: repo.id, worktree: true })
    await mkdir(join(session.workspaceRoot, '.signalbox', 'prompts'), { recursive: true })
    await writeFile(join(session.workspaceRoot, '.signalbox', 'prompts', 'planted.md'), 'Planted.')
    const there = (await list(`?sessionId=${session.id}`)).templates.map(({ name }) => name)
    expect(there).toContain('review')
    expect(there).not.toContain('planted')
    // A folder that leads elsewhere is not followed.
    await rename(folder, join(repo.path, 'moved'))
    await symlink(join(repo.path, 'moved'), folder)
    const followed = await list(`?repoId=${repo.id}`)
    expect(followed.templates.filter(({ source }) => source === 'workspace')).toEqual([])
    expect(followed.problems).toMatchObject([{ path: '.signalbox/prompts' }])
  })

  it('B17 no templates from an untrusted directory, nor from a repo that a person may not use', async () => {
    const place = await harness.workspace()
    await mkdir(join(place, '.signalbox', 'prompts'), { recursive: true })
    await writeFile(join(place, '.signalbox', 'prompts', 'trap.md'), 'Trap.')
    const query = `?workspaceRoot=${encodeURIComponent(place)}`
    const untrusted = await list(query)
    expect(untrusted.templates.map(({ name }) => name)).not.toContain('trap')
    expect(untrusted.problems).toHaveLength(1)
    await harness.api.post('/api/policy/trust', { workspaceRoot: place })
    expect((await list(query)).templates.map(({ name }) => name)).toContain('trap')
    const repo = await newRepo({ 'inner.md': 'Inner.' })
    await harness.api.send('PUT', `/api/repos/${repo.id}/access`, {
      body: { everyone: false, users: [], agentGroups: [] },
    })
    const stranger = await newPerson(harness.server, 'Una')
    expect(await refusal('GET', `/api/templates?repoId=${repo.id}`, undefined, stranger.api)).toMatchObject({
      status: 404,
    })
    expect(await refusal('GET', `/api/templates${query}`, undefined, stranger.api)).toMatchObject({
      status: 403,
      code: 'needs_machine',
    })
  })

  it('B17 the command line: add, list, show, edit, export, import, remove, and start with one', async () => {
    const { server } = harness
    const repo = await newRepo({ 'in-repo.md': 'Say {word}.' })
    const cli = async (...words: string[]) => {
      const ran = await server.cli(...words)
      expect(ran, ran.stderr).toMatchObject({ code: 0 })
      return ran.stdout
    }
    expect(await cli('templates', 'add', 'hello', '/say Hello {name}, {how:loud|soft=soft}')).toContain(
      'start --template hello --set name=…',
    )
    expect(await cli('templates', 'list', '--repo', repo.id)).toMatch(/hello +yours +name, how[^]*in-repo/)
    expect(await cli('templates', 'show', 'hello')).toContain('how (loud, soft) = soft')
    expect(await cli('templates', 'edit', 'hello', '--description', 'A greeting')).toContain('A greeting')
    const file = join(repo.path, 'hello.md')
    await cli('templates', 'export', 'hello', '--output', file)
    expect(await readFile(file, 'utf8')).toBe(
      '---\nname: hello\ndescription: A greeting\n---\n/say Hello {name}, {how:loud|soft=soft}\n',
    )
    const again = await server.cli('templates', 'import', file)
    expect(again).toMatchObject({ code: 6 })
    expect(again.stderr).toContain('--replace')
    await writeFile(file, (await readFile(file, 'utf8')).replace('Hello', 'Hi'))
    expect(await cli('templates', 'import', '--replace', file)).toContain('Imported hello.')
    const start = ['start', 'practice', '--workspace', repo.path, '--isolation', 'none', '--template', 'hello']
    const missing = await server.cli(...start, '--detach')
    expect(missing).toMatchObject({ code: 2 })
    expect(missing.stderr).toContain('--set name=VALUE')
    const started = await cli(...start, '--set', 'name=Ada', '--detach', '--json')
    const { id } = JSON.parse(started) as { id: string }
    await harness.saying({ id }, 'Hi Ada, soft')
    await cli('prompt', id, '--template', 'in-repo', '--set', 'word=/say Bye')
    const { items } = await harness.api.get<{ items: { text: string }[] }>(`/api/sessions/${id}/queue`)
    expect(items.at(-1)?.text).toBe('Say /say Bye.')
    const refused = await server.cli('templates', 'remove', 'hello')
    expect(refused).toMatchObject({ code: 2 })
    await cli('templates', 'remove', 'hello', '--yes')
    expect((await server.cli('templates', 'show', 'hello')).code).toBe(5)
    await rm(file)
  })

  it('B17 missing fields are asked for at a terminal', async () => {
    const { server } = harness
    await add({ name: 'asked', text: '/say {first} {second:red|green}' })
    const place = await harness.workspace()
    const words = ['start', 'practice', '--workspace', place, '--isolation', 'none', '--template', 'asked', '--detach']
    await using desk = await openRunHarness({ home: server.home })
    const terminal = desk.openTerminal(...words)
    const answer = async (question: string, typed: string) => {
      await terminal.until(question)
      terminal.type(typed)
    }
    await answer('first: ', 'Ada\r')
    await answer('second (1 red, 2 green): ', 'blue\r')
    await terminal.until(/or its number[^]*second \(1 red, 2 green\): /)
    terminal.type('2\r')
    expect(await terminal.ended()).toBe(0)
    const { sessions } = await harness.api.get<{ sessions: { prompt: string | null }[] }>('/api/sessions?limit=1')
    expect(sessions[0]?.prompt).toBe('/say Ada green')
  })
})
