import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandSpec } from './commands.ts'
import type { Prepare, Specs } from '../spec.ts'
import { aDirectory } from './work.ts'

const named = () => `t${randomUUID().slice(0, 8)}`

const ofOneself: Prepare = async (setup) => {
  const name = named()
  const { id } = await setup.persons.self.api.post<{ id: string }>('/api/templates', { name, text: 'Paint {what}.' })
  return { id, agentToken: '', marker: id, more: { name } }
}
const ofGroup: Prepare = async (setup) => {
  const name = named()
  const body = { name, text: 'Paint {what}.', agentGroupId: setup.group }
  const { id } = await setup.owner.post<{ id: string }>('/api/templates', body)
  return { id, agentToken: '', marker: id, more: { name } }
}
const ofClosedRepo: Prepare = async (setup) => {
  const name = named()
  const folder = join(setup.closedRepo.path, '.signalbox', 'prompts')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.md`), 'Paint {what}.')
  return { id: '', agentToken: '', marker: name }
}
const nameOf = ({ more }: { more?: Readonly<Record<string, unknown>> }) => String(more?.['name'])
const fill = (on: Prepare): Specs[string] => ({
  on,
  bodyOf: ({ id }) => ({ template: id, values: { what: 'the fence' } }),
})

export const templateRequests: Specs = {
  'GET /api/templates ~ of oneself': { on: ofOneself },
  'GET /api/templates ~ of a group': { on: ofGroup },
  'GET /api/templates ~ of a closed repo': {
    on: ofClosedRepo,
    query: (_subject, { closedRepo }) => `?repoId=${closedRepo.id}`,
  },
  'GET /api/templates ~ of a session': { on: async (setup) => setup.session(), query: ({ id }) => `?sessionId=${id}` },
  'GET /api/templates ~ of any directory': {
    on: aDirectory,
    query: ({ more }) => `?workspaceRoot=${encodeURIComponent(String(more?.['workspaceRoot']))}`,
  },
  'POST /api/templates ~ for oneself': { fresh: true, bodyOf: () => ({ name: named(), text: 'Paint.' }) },
  'POST /api/templates ~ for a group': {
    fresh: true,
    bodyOf: (_subject, { group }) => ({ name: named(), text: 'Paint.', agentGroupId: group }),
  },
  'PATCH /api/templates/{id} ~ of oneself': { on: ofOneself, fresh: true, body: { text: 'Paint it.' } },
  'PATCH /api/templates/{id} ~ of a group': { on: ofGroup, fresh: true, body: { text: 'Paint it.' } },
  'DELETE /api/templates/{id} ~ of oneself': { on: ofOneself, fresh: true },
  'DELETE /api/templates/{id} ~ of a group': { on: ofGroup, fresh: true },
  'POST /api/templates/fill ~ of oneself': fill(ofOneself),
  'POST /api/templates/fill ~ of a group': fill(ofGroup),
}

const look = (on: Prepare): CommandSpec => ({ on, words: (subject) => [subject.id] })
const change = (on: Prepare, ...more: string[]): CommandSpec => ({
  on,
  fresh: true,
  words: (subject) => [subject.id, ...more],
})

export const templateCommandSpecs: Readonly<Record<string, CommandSpec>> = {
  templates: { on: ofOneself, words: () => [] },
  'templates list': { on: ofOneself, words: () => [] },
  'templates show': look(ofOneself),
  'templates show ~ of a group': look(ofGroup),
  'templates add': { fresh: true, words: () => [named(), 'Paint.'] },
  'templates edit': change(ofOneself, '--text', 'Paint it.'),
  'templates edit ~ of a group': change(ofGroup, '--text', 'Paint it.'),
  'templates remove': change(ofOneself, '--yes'),
  'templates export': look(ofOneself),
  'templates import': {
    fresh: true,
    on: async (setup) => {
      const name = named()
      await writeFile(join(setup.folder, `${name}.md`), 'Paint.')
      return { id: '', agentToken: '', more: { name } }
    },
    words: (subject, { folder }) => [join(folder, `${nameOf(subject)}.md`)],
  },
}
