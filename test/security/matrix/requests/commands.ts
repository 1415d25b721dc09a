import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { printed, type MatrixSetup } from '../setup.ts'
import type { CallerName } from '../callers.ts'
import type { Prepare, Prepared } from '../spec.ts'
import { chatCommandSpecs } from './chat-commands.ts'
import { scheduleCommandSpecs } from './schedules.ts'
import { templateCommandSpecs } from './templates.ts'
import { identity, somebody, tokenOf, withCode } from './people.ts'
import { awake, aSession, moved, newHosted, withAsk, withLoggedAsk, withItem, withWords } from './sessions.ts'
import { deadLetter, newRepo, registered, repo } from './system.ts'
import { another, aTerminal, printing, without } from './terminals.ts'
import {
  aDirectory,
  marked,
  ownBudget,
  proposal,
  rule,
  trusted,
  unmarked,
  widened,
  withAlert,
  withApproval,
  withChange,
  withCheckpoint,
  withFile,
  withPattern,
} from './work.ts'

/** How a command is run. Its name comes first, `--json` last. */
export type CommandSpec = {
  readonly on?: Prepare
  /** It changes its subject: each allowed caller gets a new one. */
  readonly fresh?: boolean
  readonly words?: (subject: Prepared, setup: MatrixSetup, caller: CallerName) => readonly string[]
  readonly stdin?: (subject: Prepared, setup: MatrixSetup) => string
  /** Output after which standard input may end. */
  readonly heldUntil?: string
  /** Its output says whether it succeeded; its exit code does not. */
  readonly done?: RegExp
  /** It prints no JSON. */
  readonly plain?: true
  /** What else happens while it runs. */
  readonly meanwhile?: (subject: Prepared, setup: MatrixSetup) => Promise<void>
  /** It would end the server: allowed callers are tried last, and elsewhere. */
  readonly last?: true
}

const id = (subject: Prepared): string[] => [subject.id]
const also =
  (...more: string[]) =>
  (subject: Prepared): string[] => [subject.id, ...more]
const session = ({ id: sessionId }: Prepared) => ['--session', sessionId]
const ofSession = ({ more }: Prepared) => ['--session', String(more?.['sessionId'])]
const path = ({ more }: Prepared) => [String(more?.['path'])]
const place = ({ more }: Prepared) => [String(more?.['workspaceRoot'])]

const onSession = (...more: string[]): CommandSpec => ({ on: aSession, fresh: true, words: also(...more) })
const look = (on: Prepare, words: CommandSpec['words'] = id): CommandSpec => ({ on, words })
const change = (on: Prepare, words: CommandSpec['words'] = id): CommandSpec => ({ on, fresh: true, words })
const plainSession: Prepare = async (setup) => setup.session()
const plainHosted: Prepare = awake

/** Input of Claude Code to a hook, for a session of `self`. */
const hook = (event: Record<string, unknown>): CommandSpec => ({
  on: aSession,
  fresh: true,
  plain: true,
  done: /^(?![\s\S]*(?:continues without Signalbox|Can't reach Signalbox))/,
  stdin: (subject, setup) => JSON.stringify({ session_id: subject.id, cwd: setup.repo.path, ...event }),
})

const hello = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'matrix', version: '1' } },
}
const bridge: CommandSpec = {
  on: plainSession,
  fresh: true,
  plain: true,
  done: /"result":/,
  heldUntil: '"id":0',
  stdin: () => `${JSON.stringify(hello)}\n`,
}

/** Answers an ask in a session while a caller waits for it. */
async function approveThere({ id: sessionId }: Prepared, { persons }: MatrixSetup): Promise<void> {
  const { self } = persons
  type Page = { asks: { id: string }[] }
  for (let tries = 0; tries < 200; tries += 1) {
    const { asks } = await self.api.get<Page>(`/api/asks?sessionId=${sessionId}&status=open`)
    if (asks[0]) {
      await self.api.post(`/api/asks/${asks[0].id}/answer`, { outcome: 'approve' })
      return
    }
  }
}

const oneOfRepo: Prepare = async (setup) => {
  const { id: repoId } = await registered(setup)
  return { id: repoId, agentToken: '' }
}
const log = (...names: string[]): CommandSpec => ({
  fresh: true,
  words: (_subject, { folder }) => [join(folder, ...names), '--detach'],
})

const checkpointsOf: Prepare = async (setup) => {
  const { id: checkpointId, agentToken, more } = await withCheckpoint(setup)
  return { id: String(more?.['sessionId']), agentToken, marker: checkpointId }
}

export const commandSpecs: Readonly<Record<string, CommandSpec>> = {
  status: {},
  login: {},
  pair: { words: () => ['--anyway'] },
  'config show': {},
  doctor: { done: /"server: database"/ },
  start: { fresh: true, words: (_subject, setup) => ['--repo', setup.repo.id, '--detach', 'practice', 'hello'] },
  'start ~ not confined': {
    fresh: true,
    words: (_subject, setup) => ['--repo', setup.repo.id, '--isolation', 'none', '--detach', 'practice', 'hello'],
  },
  attach: look(plainHosted),
  prompt: onSession('Go on'),
  continue: change(moved('terminate'), also('--detach')),
  stop: onSession(),
  'stop ~ the server': { words: () => ['--yes'], last: true },
  logs: look(withWords),
  'logs ~ of each process': look(plainHosted, also('--agent')),
  'logs ~ of the error output': look(plainHosted, also('--stderr')),
  agents: { words: () => ['--quick'] },
  'agents ~ each is started and asked': {},
  queue: look(withItem),
  'queue list': look(withItem),
  handover: change(newHosted, also('--to', 'practice', '--detach')),
  'sessions conversations': look(awake),
  'queue edit': change(withItem, ({ id: sessionId, params }) => [sessionId, params?.['itemId'] ?? '', 'Stop']),
  'queue move': change(withItem, ({ id: sessionId, params }) => [
    sessionId,
    params?.['itemId'] ?? '',
    '--when',
    'later',
  ]),
  'queue drop': change(withItem, ({ id: sessionId, params }) => [sessionId, params?.['itemId'] ?? '']),
  search: look(withWords, ({ more }) => [String(more?.['words'])]),
  sessions: look(aSession, () => ['--limit', '100']),
  'sessions list': look(aSession, () => ['--limit', '100']),
  'sessions show': look(aSession),
  'sessions messages': look(withWords),
  'sessions announce': onSession('local'),
  'sessions rename': onSession('The gate'),
  'sessions pin': onSession(),
  'sessions unpin': onSession(),
  'sessions archive': change(moved('terminate')),
  'sessions unarchive': onSession(),
  'sessions pause': onSession(),
  'sessions resume': change(moved('pause')),
  'sessions recover': change(moved('interrupt', 'agnt')),
  'sessions complete': onSession(),
  'sessions cancel': onSession(),
  'sessions restart': change(moved('terminate')),
  'sessions why': look(plainSession),
  'sessions mode': look(plainHosted, also('quick')),
  'sessions option': look(plainHosted, also('speed', 'fast')),
  'sessions allowed': look(plainSession),
  'sessions sleep': look(plainHosted),
  'sessions wake': look(plainHosted),
  'sessions restart-agent': look(plainHosted),
  'sessions export': look(withWords),
  asks: look(withAsk, ofSession),
  'asks list': look(withAsk, ofSession),
  'asks show': look(withAsk),
  'asks log': look(withLoggedAsk),
  retract: change(withApproval),
  undo: change(withChange),
  answer: change(withAsk, also('approve')),
  run: {
    on: async (setup) => setup.machineSession,
    words: (subject) => ['mark', ...session(subject)],
  },
  'run ~ their list': { words: () => [] },
  watch: log('logs', 'build.log'),
  'watch ~ a log elsewhere': log('outside', 'private.log'),
  terminals: look(aTerminal, () => []),
  'terminals list': look(aTerminal, () => []),
  'terminals show': look(aTerminal),
  'terminals answer': look(without, also('hello')),
  'terminals keys': look(without, also('enter')),
  'terminals stop': change(another),
  'terminals end': change(another),
  'terminals updates': look(printing),
  'terminals replay': { ...look(printing, also('--speed', '1000', '--idle', '0.001')), plain: true },
  'terminals cast': look(printing),
  'terminals search': look(aTerminal, () => [printed, '--limit', '100']),
  overview: {},
  budgets: look(ownBudget, () => []),
  'budgets list': look(ownBudget, () => []),
  'budgets set': { fresh: true, words: () => ['--all', '--period', 'month', '--usd', '900000'] },
  'budgets remove': change(ownBudget, also('--yes')),
  'catch-up': look(withAsk, (subject) => ['--since', '2020-01-01', ...ofSession(subject)]),
  patterns: look(withPattern, () => ['--limit', '500']),
  'patterns list': look(withPattern, () => ['--limit', '500']),
  'patterns show': look(withPattern),
  'patterns forget': change(withPattern),
  'patterns export': look(
    marked(({ more }) => String(more?.['text']), withPattern),
    () => [],
  ),
  'patterns import': { words: (_subject, { folder }) => [join(folder, 'patterns.json')] },
  'patterns proposals': look(proposal('proposed'), () => []),
  'patterns confirm': change(proposal('proposed')),
  'patterns dismiss': change(proposal('proposed')),
  'patterns revoke': change(proposal('confirmed')),
  diff: look(unmarked(aSession)),
  commit: change(withFile),
  merge: change(unmarked(aSession)),
  'pull-request': look(unmarked(aSession), also('--yes')),
  pr: look(unmarked(aSession), also('--yes')),
  worktrees: {},
  'worktrees list': {},
  'worktrees remove': change(unmarked(aSession)),
  checkpoints: look(checkpointsOf),
  'checkpoints list': look(checkpointsOf),
  'checkpoints show': look(withCheckpoint),
  checkpoint: onSession(),
  restore: change(withCheckpoint, also('--yes')),
  policy: look(unmarked(aSession), session),
  'policy show': look(unmarked(aSession), session),
  'policy test': look(unmarked(aSession), session),
  'policy rules': look(rule('proposed'), () => []),
  'policy confirm': change(rule('proposed')),
  'policy dismiss': change(rule('proposed')),
  'policy revoke': change(rule('confirmed')),
  'policy trust': change(aDirectory, place),
  'policy untrust': change(trusted, place),
  'policy accept': change(widened, (subject) => [String(subject.more?.['hash']), '--workspace', ...path(subject)]),
  mcp: bridge,
  // Its input ends at once: it connects and leaves.
  acp: {},
  'mcp bridge': bridge,
  'mcp bridge ~ with the session of another': { ...bridge, on: unmarked(aSession), words: session },
  'hook permission': {
    ...hook({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'one' }),
    words: () => ['--strict'],
    meanwhile: approveThere,
  },
  'hook notification': hook({ hook_event_name: 'Notification', message: 'Done' }),
  'hook prompt': hook({ hook_event_name: 'UserPromptSubmit', prompt: 'Go on' }),
  'hook stop': hook({ hook_event_name: 'Stop', last_assistant_message: 'Done' }),
  'hook end': hook({ hook_event_name: 'SessionEnd' }),
  alerts: look(withAlert, ofSession),
  'alerts list': look(withAlert, ofSession),
  'alerts nudge': change(withAlert),
  'alerts dismiss': change(withAlert),
  'alerts stats': look(
    marked(() => '"total":1', withAlert),
    ofSession,
  ),
  'alerts pause': onSession(),
  'alerts resume': onSession(),
  repos: look(repo('closedRepo'), () => []),
  'repos list': look(repo('closedRepo'), () => []),
  'repos add': change(newRepo, path),
  'repos scan': { fresh: true },
  'repos remove': change(oneOfRepo),
  'repos access': change(oneOfRepo, also('--nobody')),
  events: look(aSession, session),
  'events list': look(aSession, session),
  'events dead-letters': look(deadLetter, () => []),
  'events dead-letters ~ once more': change(deadLetter, (subject) => ['--retry', subject.id]),
  audit: look(aSession, session),
  'audit search': look(aSession, session),
  'audit export': look(aSession, session),
  users: look(somebody(), () => []),
  'users list': look(somebody(), () => []),
  'users show': look(somebody()),
  'users create': { fresh: true, words: () => [`New ${randomUUID()}`] },
  'users rename': change(somebody(), also('Renamed')),
  'users remove': change(somebody()),
  'users link': change(somebody(), (subject) => [subject.id, identity()]),
  'users unlink': change(somebody(), ({ id: userId, params }) => [userId, params?.['identity'] ?? '']),
  'users link-code': {},
  'users claim': change(withCode(), ({ more }) => [identity(), String(more?.['code'])]),
  'roles grant': change(somebody(), also('machine')),
  'roles grant ~ admin of a group': change(somebody(), (subject, { group }) => [subject.id, 'admin', '--group', group]),
  'roles revoke': change(somebody('machine'), also('machine')),
  ...chatCommandSpecs,
  ...templateCommandSpecs,
  ...scheduleCommandSpecs,
  tokens: look(tokenOf('self'), () => []),
  'tokens list': look(tokenOf('self'), () => []),
  "tokens list ~ everybody's": look(tokenOf('self'), () => ['--all']),
  'tokens create': { fresh: true, words: () => ['--name', 'another'] },
  'tokens revoke': change(tokenOf('self')),
}

/** Commands that call no server, with harmless arguments, and their exit codes if not 0. */
export const localCommands: Readonly<Record<string, { words?: readonly string[]; exit?: number }>> = {
  serve: {},
  service: {},
  // Not with the address of a server.
  'service install': { words: ['--print'], exit: 2 },
  'service status': { exit: 2 },
  'service logs': { exit: 2 },
  'service uninstall': { exit: 2 },
  uninstall: { words: ['--yes'], exit: 2 },
  // This is a clone.
  upgrade: { exit: 1 },
  'run ~ a program': { words: ['--', 'true'] },
  // There is no such host.
  ssh: { words: ['nowhere.invalid'], exit: 255 },
  'mcp install': { words: ['claude', '--print'] },
  hook: {},
  'hook install': { words: ['claude', '--print'] },
  roles: {},
  identities: {},
  credentials: {},
  // There are no recordings.
  detect: { words: ['--corpus', 'nowhere'], exit: 5 },
  config: {},
  'config check': {},
  db: {},
  'db status': {},
  'db migrate': {},
  'db rollback': { words: ['--to', '1', '--yes'] },
  'db import': { words: ['/nowhere/seed.db'], exit: 1 },
  completion: { words: ['bash'] },
  version: {},
  help: { words: ['sessions'] },
}
