import * as z from 'zod'
import { SessionId } from '../../domain/session/schema.ts'
import { PromptType, Terminal, TerminalType } from '../../domain/terminal/schema.ts'
import { endpoint } from '../endpoint.ts'
import { count, limit, PageCursor, time } from './parts.ts'

const ById = z.object({ id: SessionId })
const flag = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])
  .default(false)
  .meta({ type: 'boolean' })
const size = z.int().min(1).max(1000)

export const Detection = z
  .object({
    waiting: z.boolean(),
    state: z.enum(['working', 'waiting', 'exited']),
    promptId: z.string().nullable().meta({ description: 'This occurrence of the prompt, which an answer refers to.' }),
    promptText: z.string(),
    promptType: PromptType,
    confidence: z.number(),
    matchedPattern: z.string(),
    filePosition: z.int(),
    timestamp: z.iso.datetime(),
    isDangerous: z.boolean(),
    dangerReason: z.string().nullable(),
    decidedBy: z.enum(['kernel', 'terminal_mode', 'screen', 'text', 'silence']),
    suggestedInputs: z.array(z.string()),
    choices: z.array(z.object({ key: z.string(), label: z.string(), selected: z.boolean(), isDefault: z.boolean() })),
    default: z.string().nullable(),
    secret: z.boolean(),
    evidence: z
      .array(z.object({ signal: z.string(), says: z.enum(['waiting', 'working', 'nothing']), detail: z.string() }))
      .meta({ description: 'What was checked, and the result.' }),
  })
  .meta({ id: 'Detection' })
export type Detection = z.infer<typeof Detection>

export const TerminalView = Terminal.extend({ detection: Detection.nullable() }).meta({ id: 'TerminalView' })
export type TerminalView = z.infer<typeof TerminalView>

const Match = z.object({
  sessionId: SessionId,
  line: z.string(),
  offset: z.int(),
  at: z.string(),
  before: z.array(z.string()),
  after: z.array(z.string()),
})

export const TerminalBody = z.strictObject({
  sessionType: TerminalType,
  sessionId: SessionId.regex(/^.{14}4/, 'must be a UUID of version 4')
    .optional()
    .meta({ description: 'A UUID4 that you choose.' }),
  logFile: z.string().max(4096).optional(),
  typescript: z.boolean().default(false).meta({ description: 'The log was written by script(1).' }),
  filePosition: z.int().min(0).optional().meta({ description: 'Where in the log to start. Default: its end.' }),
  command: z.array(z.string()).min(1).optional(),
  cwd: z.string().max(4096).optional(),
  host: z.string().max(200).optional(),
  user: z.string().max(200).optional(),
  name: z.string().min(1).max(200).optional(),
  parentSessionId: SessionId.optional(),
  metadata: z.record(z.string().max(200), z.string().max(10_000)).default({}),
  cols: size.default(80),
  rows: size.default(24),
})

const tag = 'terminals'

export const terminalEndpoints = {
  startTerminal: endpoint({
    method: 'POST',
    path: '/api/terminals',
    tag,
    summary: 'Run a program in a terminal, or follow a log',
    status: 201,
    body: TerminalBody,
    response: TerminalView,
  }),
  adoptTerminal: endpoint({
    method: 'POST',
    path: '/api/terminals/adopt',
    tag,
    summary: 'Adopt a program that was started in the keeper of this node',
    status: 201,
    body: () => z.strictObject({ childId: z.string().min(1).max(200) }),
    response: TerminalView,
  }),
  listTerminals: endpoint({
    method: 'GET',
    path: '/api/terminals',
    tag,
    summary: 'Terminals and what each is waiting for, newest first',
    status: 200,
    query: () =>
      z.strictObject({
        state: z.enum(['active', 'stopped']).optional(),
        limit: limit(500, 200),
        before: PageCursor.optional(),
      }),
    response: () => z.object({ terminals: z.array(TerminalView), next: PageCursor.nullable() }),
  }),
  searchTerminals: endpoint({
    method: 'GET',
    path: '/api/terminals/search',
    tag,
    summary: 'Search terminal output by text or regular expression, newest first',
    status: 200,
    query: () =>
      z.strictObject({
        q: z.string().min(1).max(1000),
        regex: flag,
        sessionId: SessionId.optional(),
        since: time.optional(),
        until: time.optional(),
        contextLines: count(0, 10, 3),
        maxResults: limit(100, 10),
      }),
    response: () =>
      z.object({
        matches: z.array(Match),
        truncated: z.boolean().meta({ description: 'There was more than could be searched.' }),
        didYouMean: z.array(z.string()),
      }),
  }),
  getTerminal: endpoint({
    method: 'GET',
    path: '/api/terminals/{id}',
    tag,
    summary: 'A terminal, and what it waits for',
    status: 200,
    params: ById,
    response: TerminalView,
  }),
  stopTerminal: endpoint({
    method: 'POST',
    path: '/api/terminals/{id}/stop',
    tag,
    summary: 'Stop watching; the program keeps running, and its recording is kept',
    status: 200,
    params: ById,
    response: () => TerminalView.extend({ bytesCaptured: z.int() }),
  }),
  endTerminal: endpoint({
    method: 'POST',
    path: '/api/terminals/{id}/end',
    tag,
    summary: 'End the program and stop watching',
    status: 200,
    params: ById,
    response: TerminalView,
  }),
  terminalDetection: endpoint({
    method: 'GET',
    path: '/api/terminals/{id}/detection',
    tag,
    summary: 'Whether it is waiting now, for what, and the reasons for this result',
    status: 200,
    params: ById,
    response: Detection,
  }),
  terminalScreen: endpoint({
    method: 'GET',
    path: '/api/terminals/{id}/screen',
    tag,
    summary:
      'The current screen; as ansi, it draws the same on an empty terminal; as scrollback, with the lines above it',
    status: 200,
    params: ById,
    query: () => z.strictObject({ format: z.enum(['text', 'ansi', 'scrollback']).default('text') }),
    response: () => z.object({ screen: z.string(), offset: z.int(), cols: z.int(), rows: z.int() }),
  }),
  terminalUpdates: endpoint({
    method: 'GET',
    path: '/api/terminals/{id}/updates',
    tag,
    summary: 'Terminal output since your own cursor',
    status: 200,
    params: ById,
    query: () =>
      z.strictObject({
        cursor: z.string().max(100).optional(),
        maxLines: limit(10_000, 50),
        format: z.enum(['text', 'ansi', 'screen']).default('text'),
      }),
    response: () =>
      z.object({
        text: z.string(),
        cursor: z.string(),
        epoch: z.int(),
        truncated: z.boolean().meta({ description: 'Earlier data is missing.' }),
        hasMore: z.boolean(),
      }),
  }),
  terminalInput: endpoint({
    method: 'POST',
    path: '/api/terminals/{id}/input',
    tag,
    summary: 'Type an answer into the prompt it is meant for, and report the outcome',
    status: 200,
    params: ById,
    body: () =>
      z.strictObject({
        text: z.string().max(65_536).default(''),
        keys: z.array(z.string().max(40)).max(100).default([]).meta({ description: 'up, down, enter, ctrl-c …' }),
        pressEnter: z.boolean().default(true),
        expectPrompt: z.string().max(200).optional().meta({ description: 'The promptId of a detection.' }),
        secret: z.boolean().default(false).meta({ description: 'It is not stored.' }),
        confirmed: z
          .boolean()
          .default(false)
          .meta({ description: 'The person was asked again; a dangerous prompt needs it, and `expectPrompt`.' }),
      }),
    response: () =>
      z.object({
        status: z.enum(['delivered', 'refused_stale', 'refused_unreadable', 'unverified']),
        screenAfter: z.string(),
      }),
  }),
  resizeTerminal: endpoint({
    method: 'POST',
    path: '/api/terminals/{id}/resize',
    tag,
    summary: 'Resize it, unless an attached keyboard sets the size',
    status: 200,
    params: ById,
    body: () => z.strictObject({ cols: size, rows: size }),
    response: () => z.object({ cols: size, rows: size }),
  }),
  grantTerminal: endpoint({
    method: 'POST',
    path: '/api/terminals/{id}/grants',
    tag,
    summary: "Let another session's agent use it",
    status: 200,
    params: ById,
    body: () => z.strictObject({ sessionId: SessionId, granted: z.boolean().default(true) }),
    response: () => z.object({ granted: z.boolean() }),
  }),
  terminalLive: endpoint({
    method: 'GET',
    path: '/api/terminals/{id}/live',
    tag,
    summary: 'Live output from an offset',
    status: 200,
    params: ById,
    query: () => z.strictObject({ from: count(0, Number.MAX_SAFE_INTEGER, 0) }),
    response: () => z.string().meta({ description: 'application/octet-stream' }),
  }),
  terminalCast: endpoint({
    method: 'GET',
    path: '/api/terminals/{id}/cast',
    tag,
    summary: 'The whole recording as asciicast',
    status: 200,
    params: ById,
    query: () =>
      z.strictObject({
        version: z.enum(['2', '3']).default('2').meta({ description: 'Of asciicast.' }),
      }),
    response: () => z.string().meta({ description: 'application/x-asciicast' }),
  }),
}
