import { join } from 'node:path'
import { printed, type MatrixSetup } from '../setup.ts'
import type { Prepare, Prepared, Spec, Specs } from '../spec.ts'

export const aTerminal: Prepare = async ({ terminal }) => ({ ...terminal, marker: terminal.id })

/** Its first output. */
export const printing: Prepare = async (setup) => {
  const terminal = await aTerminal(setup)
  return { ...terminal, marker: printed }
}

export const without = async (setup: MatrixSetup): Promise<Prepared> => {
  const { id, agentToken } = await aTerminal(setup)
  return { id, agentToken }
}

/** A terminal that may be ended. */
export const another: Prepare = async (setup) => {
  const taken = setup.terminals.pop()
  if (!taken) throw new Error('there are no terminals left: make more in setup.ts')
  return taken
}

const granted: Prepare = async (setup) => {
  const terminal = await another(setup)
  const session = await setup.session()
  await setup.persons.self.api.post(`/api/terminals/${terminal.id}/grants`, { sessionId: session.id })
  return { id: terminal.id, agentToken: session.agentToken, marker: terminal.id, more: { sessionId: session.id } }
}

const open = (body: (setup: MatrixSetup) => Record<string, unknown>): Spec => ({
  fresh: true,
  bodyOf: (_subject, setup) => body(setup),
})
const log = (...path: string[]) => open((setup) => ({ sessionType: 'file', logFile: join(setup.folder, ...path) }))

export const terminalRequests: Specs = {
  'POST /api/terminals ~ a program': open((setup) => ({
    sessionType: 'script',
    command: ['true'],
    cwd: setup.folder,
  })),
  'POST /api/terminals ~ ssh': open((setup) => ({
    sessionType: 'ssh',
    host: 'nowhere.invalid',
    command: ['true'],
    cwd: setup.folder,
  })),
  'POST /api/terminals ~ a log in terminal.watch_roots': log('logs', 'build.log'),
  'POST /api/terminals ~ a log elsewhere': log('outside', 'private.log'),
  'POST /api/terminals ~ a log that is not there': log('outside', 'nothing.log'),
  'POST /api/terminals ~ a program that is not there': open((setup) => ({
    sessionType: 'script',
    command: ['/nowhere/at-all'],
    cwd: setup.folder,
  })),
  'POST /api/terminals/adopt': { on: without, bodyOf: ({ id }) => ({ childId: `t-${id}` }) },
  'GET /api/terminals': { on: aTerminal },
  'GET /api/terminals/search': { on: aTerminal, query: `?q=${encodeURIComponent(printed)}&maxResults=100` },
  'GET /api/terminals/{id}': { on: aTerminal },
  'GET /api/terminals/{id} ~ granted to the agent': { on: granted },
  'GET /api/terminals/{id}/detection': { on: without },
  'GET /api/terminals/{id}/screen': { on: printing },
  'GET /api/terminals/{id}/updates': { on: printing },
  'GET /api/terminals/{id}/live': { on: without, stream: true },
  'GET /api/terminals/{id}/cast': { on: printing },
  'POST /api/terminals/{id}/input ~ of one who lost the role': { on: without, body: { text: 'hello' } },
  'POST /api/terminals/{id}/input ~ of one with the role': {
    on: async (setup) => setup.machineTerminal,
    body: { text: 'hello' },
  },
  'POST /api/terminals/{id}/resize': { on: without, body: { cols: 100, rows: 30 } },
  'POST /api/terminals/{id}/stop': { on: another, fresh: true },
  'POST /api/terminals/{id}/end': { on: another, fresh: true },
  'POST /api/terminals/{id}/grants': {
    on: async (setup) => {
      const terminal = await without(setup)
      return { ...terminal, more: { sessionId: (await setup.session()).id } }
    },
    fresh: true,
    bodyOf: ({ more }) => ({ sessionId: more?.['sessionId'] }),
  },
  'POST /api/terminals/{id}/grants ~ taken back': {
    on: async (setup) => {
      const terminal = await without(setup)
      const { id } = await setup.session()
      await setup.persons.self.api.post(`/api/terminals/${terminal.id}/grants`, { sessionId: id })
      return { ...terminal, more: { sessionId: id } }
    },
    fresh: true,
    bodyOf: ({ more }) => ({ sessionId: more?.['sessionId'], granted: false }),
  },
}
