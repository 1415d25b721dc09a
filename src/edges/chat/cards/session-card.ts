import type { Alert } from '../../../domain/alert/schema.ts'
import { span } from '../../../lib/time-span.ts'
import type { Session } from '../../../domain/session/schema.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import type { Button, Card } from '../adapter.ts'
import { alertAction, type AlertVerb } from '../../../app/chat/card-actions.ts'

export type SessionCardFrame = {
  readonly source: string
  readonly owner: string | null
  readonly link: string | null
}

const ends: Partial<Record<Session['status'], { title: string; tone: Card['tone'] }>> = {
  completed: { title: 'Session completed', tone: 'good' },
  cancelled: { title: 'Session cancelled', tone: 'quiet' },
  error: { title: 'Session failed', tone: 'bad' },
  terminated: { title: 'Session stopped', tone: 'quiet' },
}

/** The root message of a session's thread (X11). It is edited when the session pauses, is lost, continues or ends. */
export function sessionCard(session: Session, { source, owner, link }: SessionCardFrame): Card {
  const end = ends[session.status]
  const paused = session.status === 'paused' ? 'Session paused' : null
  const lost = session.status === 'interrupted' ? 'Session interrupted' : null
  return {
    title: end?.title ?? paused ?? lost ?? 'Session started',
    tone: end?.tone ?? (lost === null ? 'quiet' : 'bad'),
    lines: [
      ...(session.prompt === null ? [] : [{ kind: 'quote' as const, text: session.prompt }]),
      {
        kind: 'fields',
        fields: [
          ['Session', session.id.slice(0, 8)],
          ...(owner === null ? [] : [['Owner', owner] as const]),
          ['Workspace', session.workspaceRoot],
        ],
      },
    ],
    buttons: [],
    footer: `${source}${hasEnded(session.status) ? '' : ' · reply here to steer it'}${link === null ? '' : ` · ${link}`}`,
    mention: null,
  }
}

/** What a session did, posted at its end. */
export function summaryCard(
  session: Session,
  done: { seconds: number; messages: number; asks: number; files: readonly string[] },
  { source, link }: Pick<SessionCardFrame, 'source' | 'link'>,
): Card {
  const end = ends[session.status] ?? { title: 'Session ended', tone: 'quiet' as const }
  const reason = typeof session.metadata['reason'] === 'string' ? session.metadata['reason'].replaceAll('_', ' ') : null
  return {
    ...end,
    lines: [
      {
        kind: 'fields',
        fields: [
          ['Duration', span(done.seconds)],
          ['Messages', String(done.messages)],
          ['Asks', String(done.asks)],
          ...(done.files.length === 0 ? [] : [['Files', filesText(done.files)] as const]),
          ...(reason === null ? [] : [['Reason', reason] as const]),
        ],
      },
    ],
    buttons: [],
    footer: `${source}${link === null ? '' : ` · ${link}`}`,
    mention: null,
  }
}

const shownFiles = 10
const filesText = (files: readonly string[]): string =>
  files.length <= shownFiles
    ? files.join(', ')
    : `${files.slice(0, shownFiles).join(', ')} and ${files.length - shownFiles} more`

export type AlertCardFrame = {
  readonly source: string
  /** The text of the last step: raised, nudged, escalated, recovered. */
  readonly text: string
  readonly closedBy: string | null
  readonly mention: string | null
  /** For the message about the escalation, which notifies the whole chat. */
  readonly toEveryone?: boolean
}

/** A stall alert (R16), with buttons while it is open. */
export function alertCard(alert: Alert, { source, text, closedBy, mention, toEveryone }: AlertCardFrame): Card {
  const open = alert.closedAt === null
  const button = (verb: AlertVerb, label: string, style: Button['style']): Button => ({
    action: alertAction(alert.id, verb),
    label,
    style,
  })
  const titles: Partial<Record<Alert['status'], string>> = {
    escalated: 'The agent needs you',
    self_recovered: 'The agent is back',
    dismissed: closedBy === null ? 'Alert dismissed' : `Alert dismissed by ${closedBy}`,
  }
  return {
    title: titles[alert.status] ?? (open ? 'The agent may be stuck' : 'Alert closed'),
    tone: open ? 'waiting' : alert.status === 'self_recovered' ? 'good' : 'quiet',
    lines: [{ kind: 'text', text }],
    buttons: open
      ? [
          button('nudge', 'Nudge', 'primary'),
          button('stop', 'Stop session', 'danger'),
          button('dismiss', 'Dismiss', 'plain'),
        ]
      : [],
    footer: source,
    mention: open ? mention : null,
    ...(open && toEveryone && { notify: 'channel' as const }),
  }
}
