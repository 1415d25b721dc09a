import type * as z from 'zod'
import type { Ask, AskId, NewAsk } from '../../../domain/ask/schema.ts'
import { ProgressItem } from '../../../domain/session/schema.ts'
import { iso } from '../../../lib/clock.ts'
import type { Fault } from '../../../lib/result.ts'
import { system } from '../actor.ts'
import type { CallDeps } from './ask-for-call.ts'
import { oneLine, askDefaults } from './ask-for-call.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import type { Wire } from '../wire/wire.ts'

const inbound: readonly string[] = ['clearance/request', 'status/update', 'prompt/forward', 'heartbeat']
export const isDialect = (method: unknown): boolean => typeof method === 'string' && inbound.includes(method)

type DialectCall = { id?: unknown; method: string; params?: Readonly<Record<string, unknown>> }

/** Signalbox's own stream methods, beside ACP on the same connection. Ids are returned unchanged. */
export type Dialect = {
  take(call: DialectCall, offset: number): Promise<void>
  /** Whether the agent uses these methods. */
  isSpoken(): boolean
  /** Sends `session/interrupt`, `prompt/send` or `nudge`, if the agent uses these methods. */
  tell(key: string, method: string, params: object): Promise<void>
}

const aSecond = 1000
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export function createDialect(deps: CallDeps & { wire: () => Wire; spoken: boolean }): Dialect {
  const { shared, recorder, answers, closing, sessionId, childId } = deps
  const { app, log } = shared

  /** Opens the ask and waits for its end; null if the server stops first. */
  async function decide(
    ask: Omit<NewAsk, 'id' | 'sessionId' | 'needed' | 'answerers' | 'timeoutSeconds'>,
    offset: number,
  ) {
    const id = derivedId<AskId>(childId, offset, 'ask')
    const whole: NewAsk = { ...ask, id, sessionId, needed: 1, answerers: null, timeoutSeconds: null }
    const opened = await answers.expect(id, () => app.dispatch({ type: 'ask.open', ask: whole }, system))
    if (!opened.ok && opened.fault.code !== 'ask_exists') return opened.fault
    return answers.wait(id, closing)
  }

  async function clearance(call: DialectCall, offset: number): Promise<void> {
    const params = call.params ?? {}
    const title = oneLine(textOf(params['title']))
    const filePath = textOf(params['file_path'])
    const diff = textOf(params['diff'])
    const risk = params['risk_level']
    const id = 'id' in call ? call.id : (params['id'] ?? null)
    const subject =
      diff !== '' && filePath !== ''
        ? { kind: 'diff' as const, filePath, diff, files: [] }
        : { kind: 'tool' as const, tool: title, input: { file_path: filePath } }
    const riskLevel = risk === 'high' || risk === 'critical' ? risk : ('low' as const)
    const description = textOf(params['description']) || null
    const end = await decide({ origin: 'clearance/request', title, description, riskLevel, subject }, offset)
    if (end === null) return
    const verdict = 'code' in end ? { status: 'rejected', reason: faultText(end) } : clearanceOf(end)
    await deps.unpaused()
    await deps.wire().send(`seed-${offset}`, { jsonrpc: '2.0', id, method: 'clearance/response', params: verdict })
  }

  async function forwarded(call: DialectCall, offset: number): Promise<void> {
    const params = call.params ?? {}
    const text = textOf(params['text'])
    const id = 'id' in call ? call.id : (params['id'] ?? null)
    const kinds = ['continuation', 'clarification', 'error_recovery', 'resource_warning'] as const
    const promptType = kinds.find((kind) => kind === params['type']) ?? 'continuation'
    const subject = { kind: 'prompt' as const, text, promptType, elapsedSeconds: null, actionsTaken: null }
    const end = await decide({ ...askDefaults, origin: 'acp', title: oneLine(text), subject }, offset)
    if (end === null) return
    const decision = 'code' in end ? { decision: 'stop' } : decisionOf(end)
    await deps.unpaused()
    const answer = { ...(params['id'] !== undefined && { id: params['id'] }), ...decision }
    await deps.wire().send(`seed-${offset}`, { jsonrpc: '2.0', id, method: 'prompt/response', params: answer })
  }

  let progress: readonly z.infer<typeof ProgressItem>[] | undefined
  let beating: NodeJS.Timeout | null = null

  /** Stores at most one heartbeat a second, with the latest progress. */
  async function beat(told: unknown): Promise<void> {
    const read = ProgressItem.array().max(200).safeParse(told)
    if (read.success) progress = read.data
    if (beating !== null) return
    beating = setTimeout(() => {
      beating = null
      if (progress !== undefined && !closing.aborted) void touch().catch(() => {})
    }, aSecond)
    beating.unref()
    await touch()
  }

  async function touch(): Promise<void> {
    const latest = progress
    progress = undefined
    const known = latest === undefined ? {} : { progress: [...latest] }
    await app.dispatch({ type: 'session.touch', id: sessionId, tool: null, ...known }, system)
  }

  async function handle(call: DialectCall, offset: number): Promise<void> {
    switch (call.method) {
      case 'clearance/request':
      case 'prompt/forward':
        recorder.hold({ offset, message: call })
        await recorder.flush()
        recorder.kept(offset)
        return call.method === 'clearance/request' ? clearance(call, offset) : forwarded(call, offset)
      case 'status/update': {
        const words = textOf(call.params?.['message'])
        if (words !== '') deps.transcript().note(words, offset, iso(shared.clock.now()))
        return
      }
      default:
        return beat(call.params?.['progress'])
    }
  }

  const isSpoken = () => recorder.notes.dialect || deps.spoken

  return {
    isSpoken,
    async take(call, offset) {
      recorder.notes.dialect = true
      try {
        await handle(call, offset)
      } catch (error) {
        log.warn({ method: call.method, error: String(error) }, 'a stream method failed')
      }
      if (!closing.aborted) recorder.settle(offset)
    },
    async tell(key, method, params) {
      if (!isSpoken()) return
      await deps.wire().send(key, { jsonrpc: '2.0', method, params })
    },
  }
}

/** Includes the hint: of two clearances at once it names the one that is open. */
const faultText = ({ code, message, hint }: Fault): string =>
  `${code}: ${message}${hint === undefined ? '' : ` ${hint}`}`

function clearanceOf({ status, answer }: Ask): { status: string; reason: string | null } {
  const reason = answer && 'reason' in answer ? answer.reason : null
  if (status === 'expired') return { status: 'timeout', reason }
  if (status === 'interrupted' || status === 'cancelled') return { status: 'interrupted', reason }
  return { status: answer?.outcome === 'approve' ? 'approved' : 'rejected', reason }
}

function decisionOf({ answer }: Ask): { decision: string; instruction?: string } {
  if (answer?.outcome === 'refine') return { decision: 'refine', instruction: answer.instruction }
  return { decision: answer?.outcome === 'continue' ? 'continue' : 'stop' }
}
