import type { Client } from '../../client/client.ts'
import type { CheckpointFile, Diverged, Paths, RestoreAnswer } from '../../client/contract/checkpoints.ts'
import type { Checkpoint } from '../../domain/checkpoint/schema.ts'
import { programName } from '../program-name.ts'
import { cleanLine } from '../clean-text.ts'
import { renderFields, type Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmed } from '../confirm.ts'
import { exit } from '../failure.ts'
import { findSession } from '../find-by-id.ts'
import { findId, shortener, shortId } from '../ids.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { checkpointFlags, restoreFlags, showFlags } from '../table/checkpoints.ts'
import { relativeTime } from '../times.ts'

const why: Readonly<Record<Checkpoint['reason'], string>> = {
  tool: 'by the agent',
  person: 'by a person',
  start: 'at the start',
  before_restore: 'before a restore',
}

export const listCheckpoints: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const found = await client.listCheckpoints({ params: { id } })
  printResult(context, found, ({ checkpoints }) => {
    const short = shortener(checkpoints.map((one) => one.id))
    const now = context.now()
    const columns: Column<Checkpoint>[] = [
      { title: 'ID', cell: (one) => short(one.id) },
      { title: 'LABEL', cell: ({ label }) => label ?? '', shrinks: true },
      { title: 'MADE', cell: ({ reason }) => why[reason] },
      { title: 'FILES', cell: ({ fileCount }) => String(fileCount) },
      { title: 'NOT SAVED', cell: ({ notKept }) => (notKept.count === 0 ? '' : String(notKept.count)) },
      { title: 'WHEN', cell: ({ createdAt }) => relativeTime(createdAt, now) },
    ]
    return tableOr(
      context,
      checkpoints,
      columns,
      `No checkpoints. Make one with: ${programName()} checkpoint ${shortId(id)}`,
    )
  })
}

export const showCheckpoint: Handler<typeof showFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findCheckpoint(client, text)
  const checkpoint = await client.getCheckpoint({ params: { id } })
  if (flags.files) return showFiles(context, client, checkpoint)
  printResult(context, checkpoint, (one) =>
    renderFields(
      [
        ['Checkpoint', one.id],
        ['Label', one.label],
        ['Made', `${why[one.reason]}, ${relativeTime(one.createdAt, context.now())}`],
        ['Session', one.sessionId],
        ['Workspace', cleanLine(one.workspaceRoot)],
        ['Files', String(one.fileCount)],
        ['Not saved', one.notKept.count === 0 ? null : String(one.notKept.count)],
      ],
      context.out,
    ),
  )
}

/** As `sha256sum` prints them, page by page: there may be hundreds of thousands. */
async function showFiles(context: Context, client: Client, { id }: Checkpoint): Promise<void> {
  const all: CheckpointFile[] = []
  for (let after: string | null = null; ;) {
    const { files, next }: { files: CheckpointFile[]; next: string | null } = await client.listCheckpointFiles({
      params: { id },
      query: { limit: 10_000, ...(after !== null && { after }) },
    })
    if (context.json) all.push(...files)
    else if (files.length > 0)
      context.out.print(files.map(({ sha256, path }) => `${sha256}  ${cleanLine(path)}`).join('\n'))
    if (next === null) break
    after = next
  }
  if (context.json) context.out.json({ id, files: all })
}

export const createCheckpoint: Handler<typeof checkpointFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const body = flags.label === undefined ? {} : { label: flags.label }
  const made = await client.createCheckpoint({ params: { id }, body })
  printResult(context, made, ({ fileCount, notKept, id: checkpointId }) =>
    [
      `${count(fileCount, 'file')} saved as checkpoint ${shortId(checkpointId)}.`,
      ...(notKept.count === 0 ? [] : [`${count(notKept.count, 'file')} could not be saved:`]),
      ...notKept.files.map((file) => `  ${cleanLine(file.path)}  ${file.why}`),
    ].join('\n'),
  )
}

export const restoreCheckpoint: Handler<typeof restoreFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findCheckpoint(client, text)
  const restore = (confirm: boolean) =>
    client.restoreCheckpoint({ params: { id }, body: { confirm, removeNew: flags['remove-new'] } })
  if (!flags.yes) {
    const looked = await restore(false)
    if (looked.confirmed) throw new Error('the server restored without confirmation')
    if (context.json) return context.out.json(looked)
    context.out.print(divergedWords(looked))
    if (isSame(looked.diverged)) return
    await confirmed(
      context,
      'Restore these files, and end the agent working there?',
      `${programName()} restore ${shortId(id)} --yes`,
    )
  }
  const done = await restore(true)
  if (context.json) context.out.json(done)
  else context.out.print(doneWords(done))
  return done.confirmed && done.failed.length > 0 ? exit.failed : exit.ok
}

const isSame = ({ modified, deleted, added }: Diverged): boolean => modified.count + deleted.count + added.count === 0

const mostShown = 50

function pathLines(title: string, { count: all, paths }: Paths): string[] {
  if (all === 0) return []
  const rest = all - Math.min(paths.length, mostShown)
  return [
    `${title} (${all}):`,
    ...paths.slice(0, mostShown).map((path) => `  ${cleanLine(path)}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ]
}

/** An undo of a restore removes what that restore made, if nobody changed it. */
const newSince: Readonly<Record<'before_restore' | 'other', string>> = {
  before_restore: 'New since; what the restore made is removed, the rest kept',
  other: 'New since, kept',
}

const divergedWords = ({ diverged, checkpoint: { reason } }: Extract<RestoreAnswer, { confirmed: false }>): string =>
  isSame(diverged)
    ? 'Nothing has changed since this checkpoint.'
    : [
        ...pathLines('Changed since, restored', diverged.modified),
        ...pathLines('Deleted since, restored', diverged.deleted),
        ...pathLines(newSince[reason === 'before_restore' ? reason : 'other'], diverged.added),
      ].join('\n')

function doneWords(done: RestoreAnswer): string {
  if (!done.confirmed) return divergedWords(done)
  return [
    ...pathLines('Restored', done.restored),
    ...pathLines('Recreated', done.recreated),
    ...pathLines('Removed', done.removed),
    ...pathLines('New, kept', done.kept),
    ...(done.failed.length === 0 ? [] : ['Could not be restored:']),
    ...done.failed.map(({ path, why: reason }) => `  ${cleanLine(path)}  ${cleanLine(reason)}`),
    `To undo this: ${programName()} restore ${shortId(done.before.id)}`,
    `The agent was ended. To continue from here: ${programName()} sessions restart ${shortId(done.resume.restartOf)} --checkpoint ${shortId(done.checkpoint.id)}`,
  ].join('\n')
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`

export function findCheckpoint(client: Client, text: string): Promise<Checkpoint['id']> {
  const pages = async function* () {
    for (let before: string | undefined; ;) {
      const { checkpoints, next } = await client.allCheckpoints({ query: { limit: 500, ...(before && { before }) } })
      yield checkpoints
      if (next === null) return
      before = next
    }
  }
  return findId<Checkpoint>(text, {
    what: 'checkpoint',
    list: 'signalbox checkpoints SESSION',
    pages: pages(),
    alsoCalled: ({ label }) => (label === null ? [] : [label]),
  })
}
