import type { App } from '../../../app/app.ts'
import type { LoggedEvent } from '../../../app/events.ts'
import type { Detection } from '../../../app/terminals.ts'
import type { AskSubject } from '../../../domain/ask/subject.ts'
import { AskId } from '../../../domain/ask/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { systemStanding } from '../../../domain/user/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Result } from '../../../lib/result.ts'
import { createKeyedQueue } from '../../../lib/serial-queue.ts'

const system = { kind: 'system', name: 'terminal' } as const
const seeing = systemStanding('terminal')

export type AskRules = { ask: 'questions' | 'all' | 'off'; afterMs: number }

/** Turns waiting prompts into asks, and withdraws the asks when the prompts are gone (T10). */
export type PromptAsks = {
  /** The terminal waits for something else now. */
  seen(id: SessionId, detection: Detection): void
  /** A terminal was adopted again: asks for prompts that are gone are withdrawn. */
  settle(id: SessionId, detection: Detection): Promise<void>
  /** The terminal is no longer watched. */
  gone(id: SessionId, reason: string): Promise<void>
  /** Keeps a secret answer in memory until it is typed. */
  holdSecret(askId: AskId, value: string): void
  dropSecret(askId: AskId): void
  heard(event: LoggedEvent): Promise<void>
  close(): void
}

type Deps = {
  app: App
  clock: Clock
  log: Logger
  rules: AskRules
  nodeId: string
  type(
    id: SessionId,
    input: { text: string; expectPrompt: string; secret: boolean; confirmed: boolean; key: string },
  ): Promise<Result<{ status: string }>>
}

type WaitingPrompt = {
  promptId: string
  detection: Detection
  timer: Disposable | null
  askId: AskId | null
  /** How often it was asked about. */
  times: number
}

export function createPromptAsks({ app, clock, log, rules, nodeId, type }: Deps): PromptAsks {
  const waiting = new Map<SessionId, WaitingPrompt>()
  const secrets = new Map<AskId, string>()
  /** One task after another for each terminal. */
  const queue = createKeyedQueue<SessionId>()

  const inOrder = (id: SessionId, work: () => Promise<void>) =>
    queue
      .run(id, work)
      .catch((error: unknown) => log.error({ session: id, error: String(error) }, 'an ask of a terminal failed'))

  const concerns = ({ waiting: isWaiting, promptType }: Detection): boolean =>
    isWaiting && rules.ask !== 'off' && (rules.ask === 'all' || promptType !== 'command')

  async function open(id: SessionId, detection: Detection): Promise<void> {
    const entry = waiting.get(id)
    if (!entry || entry.promptId !== detection.promptId) return
    const asks = await openAsksOf(id)
    const same = asks.find((one) => isAbout(one.subject, detection))
    for (const one of asks) if (one !== same) await withdraw(one.id, 'The prompt is gone.')
    if (same) {
      entry.askId = same.id
      return
    }
    const askId = AskId.parse(derivedId(id, 'terminal prompt', `${entry.promptId} ${entry.times}`))
    const dangerous = detection.isDangerous
    const opened = await app.dispatch(
      {
        type: 'ask.open',
        ask: {
          id: askId,
          sessionId: id,
          origin: 'terminal',
          title: titleOf(detection),
          description: detection.dangerReason,
          riskLevel: dangerous ? 'high' : 'low',
          subject: {
            kind: 'terminal_prompt',
            promptText: detection.promptText,
            promptType: detection.promptType,
            dangerous,
            suggestedInputs: detection.suggestedInputs.map((input) => input.slice(0, 10_000)),
            promptId: entry.promptId,
            secret: detection.secret,
            dangerReason: detection.dangerReason,
          },
          needed: 1,
          answerers: null,
          timeoutSeconds: null,
        },
      },
      system,
    )
    if (opened.ok || opened.fault.code === 'ask_exists') entry.askId = askId
    else log.warn({ session: id, code: opened.fault.code }, 'a prompt could not become an ask')
  }

  async function openAsksOf(id: SessionId) {
    const found = await app.read.asks(seeing, { statuses: ['open'], sessionId: id, limit: 20 })
    return found.ok ? found.value.filter(({ subject }) => subject.kind === 'terminal_prompt') : []
  }

  function withdraw(id: AskId, reason: string) {
    secrets.delete(id)
    return app.dispatch({ type: 'ask.cancel', id, reason }, system)
  }

  /** Still unanswered: it goes back to the inbox. */
  async function askAgain(id: SessionId, promptId: string): Promise<void> {
    const entry = waiting.get(id)
    if (!entry || entry.promptId !== promptId || entry.askId !== null) return
    entry.times += 1
    await open(id, entry.detection)
  }

  const tell = (id: SessionId, text: string) =>
    app.dispatch({ type: 'session.alert', id, what: 'answer_not_typed', text }, system)

  return {
    seen(id, detection) {
      const entry = waiting.get(id)
      if (entry && entry.promptId === detection.promptId && detection.waiting) return
      if (entry) {
        entry.timer?.[Symbol.dispose]()
        waiting.delete(id)
        const reason =
          detection.state === 'exited' ? 'The program has ended.' : 'It was answered at the keyboard, or is gone.'
        void inOrder(id, async () => {
          if (entry.askId !== null) await withdraw(entry.askId, reason)
        })
      }
      if (!concerns(detection) || detection.promptId === null) return
      const next: WaitingPrompt = { promptId: detection.promptId, detection, timer: null, askId: null, times: 0 }
      waiting.set(id, next)
      const ripe = () => void inOrder(id, () => open(id, detection))
      if (rules.afterMs === 0) ripe()
      else next.timer = clock.at(clock.now() + rules.afterMs, ripe)
    },
    settle: (id, detection) =>
      inOrder(id, async () => {
        const asks = await openAsksOf(id)
        const same = detection.waiting ? asks.find((one) => isAbout(one.subject, detection)) : undefined
        for (const one of asks) if (one !== same) await withdraw(one.id, 'The prompt is gone.')
        const entry = waiting.get(id)
        if (same && entry?.promptId === detection.promptId) entry.askId = same.id
      }),
    gone(id, reason) {
      waiting.get(id)?.timer?.[Symbol.dispose]()
      waiting.delete(id)
      return inOrder(id, async () => {
        for (const one of await openAsksOf(id)) await withdraw(one.id, reason)
      })
    },
    holdSecret: (askId, value) => void secrets.set(askId, value),
    dropSecret: (askId) => void secrets.delete(askId),
    async heard(event) {
      if (event.type !== 'ask.answered' || event.data.sessionId === null) return
      const { id: askId, sessionId } = event.data
      const found = await app.read.ask(seeing, askId)
      if (!found.ok || found.value.subject.kind !== 'terminal_prompt') return
      const [terminal] = await app.read.terminals(seeing, sessionId)
      if (terminal?.row.node_id !== nodeId) return
      const { subject, answer } = found.value
      const secret = secrets.get(askId)
      secrets.delete(askId)
      if (answer?.outcome !== 'reply') return
      const entry = waiting.get(sessionId)
      // A restarted server gives prompts new ids; their text is the same.
      const expectPrompt = entry?.askId === askId ? entry.promptId : (subject.promptId ?? '')
      if (entry?.askId === askId) entry.askId = null
      if (subject.secret && secret === undefined) {
        await tell(sessionId, 'A secret was not typed because the server restarted. Answer again.')
        await inOrder(sessionId, () => askAgain(sessionId, expectPrompt))
        return
      }
      const text = secret ?? answer.value
      const confirmed = answer.confirmed === true
      const typed = await type(sessionId, {
        text,
        expectPrompt,
        secret: subject.secret,
        confirmed,
        key: `ask:${askId}`,
      })
      const note = typed.ok ? outcomeWords[typed.value.status] : `An answer was not typed: ${typed.fault.message}`
      if (note === undefined) return
      await tell(sessionId, note)
      await inOrder(sessionId, () => askAgain(sessionId, expectPrompt))
    },
    close() {
      for (const { timer } of waiting.values()) timer?.[Symbol.dispose]()
      waiting.clear()
      secrets.clear()
    },
  }
}

const isAbout = (subject: AskSubject, { promptText }: Detection): boolean =>
  subject.kind === 'terminal_prompt' && subject.promptText === promptText

const outcomeWords: Readonly<Record<string, string>> = {
  refused_stale: 'An answer was not typed: its prompt is gone, or someone has started to type there.',
  refused_unreadable: 'An answer was not typed: the screen shows no prompt that can be read.',
  unverified: 'An answer was typed, but the program has not shown that it accepted it.',
}

const titleOf = ({ promptText }: Detection): string => {
  const line = promptText.split('\n').at(-1)?.trim() ?? ''
  return line === '' ? 'A terminal is waiting' : line.slice(0, 200)
}
