import { askKinds } from '../../domain/ask/kinds.ts'
import { sessionStatuses } from '../../domain/session/status.ts'
import { command, family, number, on, someOf, text, type Handler } from '../command.ts'
import { sessionAgentCommands } from './session-agent.ts'

export const sessionListFlags = {
  status: someOf('STATUS', 'Only these, comma-separated', sessionStatuses),
  repo: text('REPO', 'Only those in a repo, by id, name or path'),
  archived: on('Only archived ones'),
  limit: number('N', 'How many (20)', 1),
}
export const renameFlags = { clear: on('Remove the name') }
export const reasonFlags = { reason: text('TEXT', 'Reason; kept in the log') }
export const restartFlags = {
  prompt: text('TEXT', 'The prompt of the new session'),
  checkpoint: text('ID', 'Continue from this checkpoint: its prompt, mode, progress and queue'),
}
export const messageFlags = { since: text('TIME', 'Only later ones: 30m, 12h, or a date') }
export const askListFlags = {
  all: on('Also list closed ones'),
  answered: on('Past answers instead, newest first: what, by whom and when'),
  by: text('PERSON', 'With --answered: only those of a person, by name or id; me'),
  automatic: on('With --answered: only those that a rule gave'),
  session: text('ID', 'Only those in a session'),
  kind: someOf('KINDS', 'Only these, comma-separated: packages, mcp_server, diff', askKinds),
  limit: number('N', 'How many (20)', 1),
}
export const undoFlags = {
  force: on('Restore the files even if they changed since; the current ones are kept beside them'),
}
export const answerFlags = {
  always: on('With approve: propose a rule that answers this automatically; see signalbox policy rules'),
  'for-session': on(
    'With approve: allow the same without asking until the session ends; see signalbox sessions allowed',
  ),
  reason: text('TEXT', 'Reason; kept with the answer'),
  yes: on('Do not ask again before it goes to a dangerous prompt of a terminal'),
  group: text('GROUP', 'With approve, for a new chat: the agent group that listens there'),
}

const work = 'Watch and steer the work'
const session = [{ name: 'ID', of: 'session' }] as const
type MoveName = 'pause' | 'resume' | 'recover' | 'complete' | 'cancel'

const move = (name: MoveName, summary: string) =>
  command({
    name,
    summary,
    args: session,
    flags: reasonFlags,
    examples: [`signalbox sessions ${name} 1f0c3a7e`, `signalbox sessions ${name} 1f0c3a7e --reason "not now"`],
    load: async (): Promise<Handler<typeof reasonFlags>> => (await import('../commands/session-moves.ts')).moves[name],
  })

const listing = (name: 'pin' | 'unpin' | 'archive' | 'unarchive', summary: string) =>
  command({
    name,
    summary,
    args: session,
    examples: [`signalbox sessions ${name} 1f0c3a7e`, `signalbox sessions ${name} 1f0c3a7e --json`],
    load: async (): Promise<Handler> => (await import('../commands/session-listing.ts')).listing[name],
  })

export const workCommands = [
  family({
    name: 'sessions',
    summary: 'List sessions; show, pause, resume, recover, export, end or restart one',
    group: work,
    alone: 'list',
    examples: ['signalbox sessions --status active,paused', 'signalbox sessions show 1f0c3a7e'],
    children: [
      command({
        name: 'list',
        summary: 'Sessions, newest first (the default)',
        flags: sessionListFlags,
        examples: ['signalbox sessions --repo shop', 'signalbox sessions --status active --json'],
        load: async () => (await import('../commands/sessions.ts')).listSessions,
      }),
      command({
        name: 'show',
        summary: 'One session with its lineage, open asks and last messages',
        args: session,
        examples: ['signalbox sessions show 1f0c3a7e', 'signalbox sessions show 1f0c3a7e --json'],
        load: async () => (await import('../commands/sessions.ts')).showSession,
      }),
      command({
        name: 'messages',
        summary: 'Messages of a session, in order',
        args: session,
        flags: messageFlags,
        examples: ['signalbox sessions messages 1f0c3a7e', 'signalbox sessions messages 1f0c3a7e --since 10m'],
        load: async () => (await import('../commands/sessions.ts')).showMessages,
      }),
      command({
        name: 'announce',
        summary: 'Where its asks are announced: remote (chat and phone), local or hybrid (both)',
        args: [...session, { name: 'MODE', values: ['remote', 'local', 'hybrid'] }],
        examples: ['signalbox sessions announce 1f0c3a7e local', 'signalbox sessions announce 1f0c3a7e hybrid'],
        load: async () => (await import('../commands/session-moves.ts')).announce,
      }),
      command({
        name: 'rename',
        summary: 'Name a session; commands take the name instead of an id',
        args: [...session, { name: 'NAME', optional: true, rest: true }],
        flags: renameFlags,
        examples: [
          'signalbox sessions rename 1f0c3a7e "the checkout page"',
          'signalbox sessions rename 1f0c3a7e --clear',
        ],
        load: async () => (await import('../commands/session-listing.ts')).rename,
      }),
      listing('pin', 'Show a session first in the dashboard, for everyone'),
      listing('unpin', 'Undo pin'),
      listing('archive', 'Leave a session that has ended out of lists, for everyone'),
      listing('unarchive', 'Bring an archived session back'),
      move('pause', 'Pause a session'),
      move('resume', 'Resume a paused session'),
      move('recover', 'Recover an interrupted session'),
      move('complete', 'End a session normally'),
      move('cancel', 'Cancel a session'),
      command({
        name: 'restart',
        summary: 'Continue as a new session of the same lineage',
        args: session,
        flags: restartFlags,
        examples: ['signalbox sessions restart 1f0c3a7e', 'signalbox sessions restart 1f0c3a7e --prompt "continue"'],
        load: async () => (await import('../commands/session-moves.ts')).restartSession,
      }),
      ...sessionAgentCommands,
    ],
  }),
  family({
    name: 'asks',
    summary: 'Open asks, past answers, and one ask in full',
    group: work,
    alone: 'list',
    examples: ['signalbox asks', 'signalbox asks show 0199c2d4'],
    children: [
      command({
        name: 'list',
        summary: 'Open asks, newest first (the default)',
        flags: askListFlags,
        examples: [
          'signalbox asks --session 1f0c3a7e',
          'signalbox asks --answered --by me',
          'signalbox asks --all --json',
        ],
        load: async () => (await import('../commands/asks.ts')).listAsks,
      }),
      command({
        name: 'show',
        summary: 'Show one ask in full, and the commands that answer it',
        args: [{ name: 'ID', of: 'ask' }],
        examples: ['signalbox asks show 0199c2d4', 'signalbox asks show 0199c2d4 --json'],
        load: async () => (await import('../commands/asks.ts')).showAsk,
      }),
      command({
        name: 'log',
        summary: 'Show what happened while an approved ask was carried out, such as the build of an image',
        args: [{ name: 'ID', of: 'ask' }],
        examples: ['signalbox asks log 0199c2d4', 'signalbox asks log 0199c2d4 --json'],
        load: async () => (await import('../commands/credentials.ts')).showAskLog,
      }),
    ],
  }),
  command({
    name: 'undo',
    summary: 'Undo the changes of an approval, if the files have not changed since',
    group: work,
    args: [{ name: 'ID', of: 'ask' }],
    flags: undoFlags,
    examples: ['signalbox undo 0199c2d4', 'signalbox undo 0199c2d4 --force'],
    load: async () => (await import('../commands/undo.ts')).undo,
  }),
  command({
    name: 'retract',
    summary: 'Retract an approval that has not been used yet',
    group: work,
    args: [{ name: 'ID', of: 'ask' }],
    flags: reasonFlags,
    examples: ['signalbox retract 0199c2d4', 'signalbox retract 0199c2d4 --reason "wrong branch"'],
    load: async () => (await import('../commands/answers.ts')).retract,
  }),
  command({
    name: 'answer',
    summary: 'Answer a request (first answer wins)',
    group: work,
    more: [
      'approve, reject, stop and decline take a reason; refine, resume and reply take text; select takes an option;',
      'accept takes name=value pairs or JSON. `signalbox asks show ID` prints the commands that answer an ask.',
      'The value of a credential is asked for without echo, or read from standard input: signalbox answer ID reply',
    ].join('\n'),
    args: [
      { name: 'ID', of: 'ask' },
      {
        name: 'OUTCOME',
        values: ['approve', 'reject', 'continue', 'refine', 'stop', 'resume', 'reply', 'select', 'accept', 'decline'],
      },
      { name: 'TEXT', optional: true, rest: true },
    ],
    flags: answerFlags,
    examples: ['signalbox answer 0199c2d4 approve', 'signalbox answer 0199c2d4 reject --reason "tests are missing"'],
    load: async () => (await import('../commands/answer.ts')).answer,
  }),
]
