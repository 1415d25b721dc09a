import { isGrave, riskWords } from '../../../domain/ask/about.ts'
import { chosenGroup, verbOf } from '../../../domain/ask/answer-words.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { hiddenInText } from '../../../lib/hidden-characters.ts'
import { visibleText } from '../../../lib/shell-words.ts'
import type { Button, Card, CardLine } from '../adapter.ts'
import { askAction, type AskVerb } from '../../../app/chat/card-actions.ts'
import { adminFacts, effectOf, type EffectPart } from '../../../domain/ask/shown-effect.ts'
import { toolLines } from './tool-lines.ts'

/** What a card says beside the ask itself. */
export type AskCardFrame = {
  /** `claude in shop`. */
  readonly source: string
  /** Who answered it, as people are called; null if nobody did, or nobody knows. */
  readonly answeredBy: string | null
  /** The handle of the person who has to answer, on this platform. */
  readonly mention: string | null
  /** The page of the ask in the dashboard; null if people can't reach it from outside. */
  readonly link: string | null
  /** Paths inside are shown relative to it. */
  readonly workspace?: string | undefined
}

const mostOptions = 5

/** Hidden characters are named in code, which is decided about exactly, and left out of prose. */
const withoutTricks = (line: CardLine): CardLine => {
  const plain = (text: string) => text.replace(hiddenInText, '')
  if (line.kind === 'fields') return { ...line, fields: line.fields.map(([name, value]) => [name, visibleText(value)]) }
  if (line.kind === 'diff') return { ...line, text: line.text.split('\n').map(visibleDiffLine).join('\n') }
  return { ...line, text: line.kind === 'code' ? visibleText(line.text) : plain(line.text) }
}

/** The first character is the diff's own: alone it marks an empty line, and is not a blank at its end. */
const visibleDiffLine = (line: string): string =>
  /^[ +-]/.test(line) ? line.slice(0, 1) + visibleText(line.slice(1)) : visibleText(line)

/** An ask as a card: with buttons while it is open, and with its outcome afterwards. */
export function askCard(ask: Ask, frame: AskCardFrame): Card {
  const open = ask.status === 'open'
  const risk = riskWords(ask)
  const lines: CardLine[] = [
    ...(risk === '' ? [] : [{ kind: 'text' as const, text: risk }]),
    ...(ask.description === null ? [] : [{ kind: 'text' as const, text: ask.description }]),
    ...linesOf(ask, frame.workspace),
    ...(ask.needed > 1 ? [{ kind: 'text' as const, text: votesText(ask) }] : []),
    ...(open ? [] : [{ kind: 'text' as const, text: outcomeText(ask, frame.answeredBy) }]),
  ]
  return {
    title: ask.title.replace(hiddenInText, ''),
    tone: open ? 'waiting' : toneOf(ask),
    lines: lines.map(withoutTricks),
    buttons: open ? buttonsOf(ask) : [],
    footer: footerOf(ask, frame),
    mention: open ? frame.mention : null,
  }
}

function linesOf(ask: Ask, workspace?: string): CardLine[] {
  const { subject, title } = ask
  switch (subject.kind) {
    case 'diff':
      return [{ kind: 'diff', text: subject.preview ?? subject.diff }]
    case 'command':
      return [
        { kind: 'code', text: `$ ${subject.command}` },
        { kind: 'fields', fields: [['Directory', subject.cwd]] },
      ]
    case 'tool':
      return [
        { kind: 'fields', fields: [['Tool', subject.tool]] },
        { kind: 'code', text: shownJson(subject.input) },
      ]
    case 'permission':
      return toolLines(subject.toolCall, title, workspace)
    case 'elicitation':
      return [
        { kind: 'text', text: subject.message },
        { kind: 'text', text: 'This is a form. Open it in Signalbox to fill it in.' },
      ]
    case 'prompt':
      return [{ kind: 'quote', text: subject.text }]
    case 'wait':
      return subject.message === null ? [] : [{ kind: 'quote', text: subject.message }]
    case 'question':
      return [{ kind: 'quote', text: subject.question }]
    case 'packages':
    case 'mcp_server':
    case 'create_agent':
    case 'credential':
    case 'admin_command':
      return [...effectOf(subject).flatMap(effectLines), ...adminLines(ask)]
    case 'unknown_sender':
      return [
        {
          kind: 'fields',
          fields: [
            ['Sender', subject.identity],
            ['Chat', subject.chat],
          ],
        },
      ]
    case 'new_chat':
      return [{ kind: 'fields', fields: [['Chat', subject.name ?? subject.chat]] }]
    case 'terminal_prompt':
      return [
        { kind: 'code', text: subject.promptText },
        ...(subject.dangerReason === null
          ? []
          : [{ kind: 'text' as const, text: `Dangerous: ${subject.dangerReason}` }]),
        ...(subject.secret
          ? [{ kind: 'text' as const, text: 'This prompt asks for a secret. Answer it in Signalbox, not in a chat.' }]
          : [
              {
                kind: 'text' as const,
                text: `To answer, reply: answer TEXT${subject.dangerous ? '. You are asked to confirm it' : ''}`,
              },
            ]),
      ]
    default:
      return subject satisfies never
  }
}

const effectLines = ({ title, text, exact }: EffectPart): CardLine[] =>
  exact
    ? text.includes('\n') || text.length > 100
      ? [
          { kind: 'text', text: `${title}:` },
          { kind: 'code', text },
        ]
      : [{ kind: 'fields', fields: [[title, text]] }]
    : [{ kind: 'quote', text }]

const adminLines = (ask: Ask): CardLine[] => [
  { kind: 'fields', fields: adminFacts(ask) },
  ...(ask.subject.kind === 'credential' && ask.status === 'open'
    ? [{ kind: 'text' as const, text: 'Give the value in Signalbox, not in a chat.' }]
    : []),
]

const shownJson = (value: unknown): string => JSON.stringify(value, null, 2)

const votesText = ({ needed, votes }: Ask): string => `${votes.length} of ${needed} people have approved.`

function buttonsOf(ask: Ask): Button[] {
  const { id, subject } = ask
  const button = (verb: AskVerb, label: string, style: Button['style']): Button => ({
    action: askAction(id, verb),
    label,
    style,
  })
  switch (subject.kind) {
    case 'prompt':
      return [
        button('continue', 'Continue', 'primary'),
        button('refine', 'Refine…', 'plain'),
        button('stop', 'Stop', 'danger'),
      ]
    case 'wait':
      return [button('resume', 'Resume', 'primary'), button('stop', 'Stop', 'danger')]
    case 'question':
      return subject.options
        .slice(0, mostOptions)
        .map(({ label }, at) => ({ action: askAction(id, at), label, style: 'plain' as const }))
    case 'terminal_prompt':
      // A dangerous prompt is answered on purpose, in words; a secret never in a chat.
      return subject.secret || subject.dangerous
        ? [button('decline', 'Decline', 'plain')]
        : subject.suggestedInputs
            .slice(0, mostOptions)
            .map((label, at) => ({ action: askAction(id, at), label, style: 'plain' as const }))
    case 'elicitation':
      return [button('decline', 'Decline', 'plain')]
    case 'credential':
      return [button('reject', 'Reject', 'danger')]
    case 'new_chat':
      return [
        ...(subject.groups?.map(({ name }, at) => ({
          action: askAction(id, at),
          label: name,
          style: 'primary' as const,
        })) ?? [approve(ask)]),
        button('reject', 'Reject', 'danger'),
      ]
    case 'permission':
      return subject.options.some(({ kind }) => kind === 'allow_once')
        ? [approve(ask), button('reject', 'Reject', 'danger')]
        : subject.options.slice(0, mostOptions).map(({ name }, at) => ({
            action: askAction(id, at),
            label: name,
            style: 'plain' as const,
          }))
    default:
      return [approve(ask), button('reject', 'Reject', 'danger')]
  }
}

const approve = ({ id, ...ask }: Ask): Button => ({
  action: askAction(id, 'approve'),
  label: isGrave(ask) ? 'Approve (critical)' : 'Approve',
  style: isGrave(ask) ? 'danger' : 'primary',
})

function toneOf({ status, answer }: Ask): Card['tone'] {
  if (status === 'failed') return 'bad'
  if (status === 'expired' || status === 'cancelled' || status === 'interrupted') return 'quiet'
  return answer?.outcome === 'reject' || answer?.outcome === 'stop' || answer?.outcome === 'decline' ? 'bad' : 'good'
}

function outcomeText(ask: Ask, who: string | null): string {
  const { status, answer, reason, automatic } = ask
  if (status === 'expired')
    return automatic ? 'Continued automatically: nobody answered in time.' : 'Expired: nobody answered in time.'
  if (status === 'interrupted') return 'Withdrawn: the session ended or was interrupted.'
  if (status === 'cancelled') return reason === null ? 'Withdrawn.' : `Withdrawn: ${reason}`
  const by = who === null ? '' : ` by ${who}`
  const why = answer !== null && 'reason' in answer && answer.reason !== null ? `: ${answer.reason}` : ''
  const said =
    answer !== null && 'instruction' in answer && answer.instruction !== null ? `: ${answer.instruction}` : ''
  const applied =
    status === 'consumed' ? ' Applied.' : status === 'failed' ? ` Failed: ${reason ?? 'unknown reason'}.` : ''
  const group = chosenGroup(ask)
  return `${verbOf(ask)}${by}${group === null ? '' : `: ${group}`}${why}${said}.${applied}`
}

function footerOf({ status, expiresAt }: Ask, { source, link }: AskCardFrame): string {
  const until =
    status === 'open' && expiresAt !== null ? ` · expires ${expiresAt.slice(0, 16).replace('T', ' ')} UTC` : ''
  return `${source}${until}${link === null ? '' : ` · ${link}`}`
}
