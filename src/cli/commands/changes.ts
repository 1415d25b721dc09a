import type { MergeAnswer, WholeChange, WorktreeInfo } from '../../client/contract/changes.ts'
import { cleanLine, exactLine, exactText } from '../clean-text.ts'
import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { paintDiff } from '../diff-text.ts'
import { exit } from '../failure.ts'
import { findSession } from '../find-by-id.ts'
import { shortener, shortId } from '../ids.ts'
import type { Paint } from '../output.ts'
import { printResult, tableOr } from '../print-result.ts'
import { programName } from '../program-name.ts'
import type { commitFlags, mergeFlags, worktreeFlags } from '../table/changes.ts'

export const showChange: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const change = await client.sessionChange({ params: { id } })
  printResult(context, change, () => changeText(change, shortId(id), context.out.paint))
}

function changeText(change: WholeChange, id: string, paint: Paint): string {
  const { files, commits, uncommitted, merged, into, branch } = change
  if (files.length === 0 && commits.length === 0) return 'No changes.'
  const marks = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' } as const
  const list = files.map(({ path, change: kind, from, added, removed, binary }) => {
    const name = from === null ? exactLine(path) : `${exactLine(from)} → ${exactLine(path)}`
    return `  ${marks[kind]}  ${name}  ${binary ? 'binary' : `+${added} -${removed}`}`
  })
  return [
    `${branch === null ? 'No branch' : exactLine(branch)}${into === null ? '' : `, from ${exactLine(into)}`}${merged ? ', merged' : ''}`,
    ...commits.map(({ id: commit, subject }) => `  ${commit.slice(0, 10)}  ${cleanLine(subject)}`),
    ...list,
    ...(change.diff === '' ? [] : ['', ...paintDiff(change.diff, paint)]),
    ...(change.truncated ? ['', 'The change is too large to be shown whole.'] : []),
    ...(uncommitted > 0 ? ['', `${count(uncommitted, 'file')} not committed: ${programName()} commit ${id}`] : []),
    ...(uncommitted === 0 && change.worktree && !merged ? ['', `To merge it: ${programName()} merge ${id}`] : []),
    ...(change.sharedWith > 0 ? ['', sharedText(change.sharedWith)] : []),
  ].join('\n')
}

export const sharedText = (others: number): string =>
  `${others === 1 ? 'Another agent works' : `${others} other agents work`} in the same directory. A worktree keeps them apart: ${programName()} start --worktree`

export const commitChange: Handler<typeof commitFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const body = flags.message === undefined ? {} : { message: flags.message }
  const done = await client.commitSession({ params: { id }, body })
  printResult(
    context,
    done,
    ({ commit, branch, files, message }) =>
      `${count(files, 'file')} committed on ${exactLine(branch)} as ${commit.slice(0, 10)}: ${cleanLine(message.split('\n')[0] ?? '')}`,
  )
}

export const mergeChange: Handler<typeof mergeFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const how = flags.rebase ? ('rebase' as const) : ('merge' as const)
  const body = { how, ...(flags.into !== undefined && { into: flags.into }) }
  const done = await client.mergeSession({ params: { id }, body })
  if (context.json) context.out.json(done)
  else context.out.print(mergeText(done, shortId(id), how))
  return done.outcome === 'conflict' ? exit.failed : exit.ok
}

function mergeText(done: MergeAnswer, id: string, how: 'merge' | 'rebase'): string {
  const [branch, into] = [exactLine(done.branch), exactLine(done.into)]
  if (done.outcome === 'nothing') return `${into} already contains ${branch}.`
  if (done.outcome === 'merged')
    return [
      `${branch} is merged into ${into} (${done.commit.slice(0, 10)}).`,
      `To remove its worktree when the session has ended: ${programName()} worktrees remove ${id}`,
    ].join('\n')
  return [
    `${branch} and ${into} change the same lines. Nothing was changed.`,
    ...(done.at === null ? [] : [`The commit that does not fit: ${done.at.slice(0, 10)}`]),
    ...done.conflicts.flatMap(({ path, text }) => [
      '',
      exactLine(path),
      ...(text === null ? [] : conflictLines(text).map((line) => `  ${line}`)),
    ]),
    '',
    `To have the agent solve it: ${programName()} prompt ${id} "${how === 'rebase' ? 'Rebase your branch on' : 'Merge'} ${into}${how === 'rebase' ? '' : ' into your branch'} and solve the conflicts"`,
  ].join('\n')
}

/** From each conflict marker to its end. */
function conflictLines(text: string): string[] {
  const lines = exactText(text).split('\n')
  let inside = false
  return lines.filter((line) => {
    if (line.startsWith('<<<<<<< ')) inside = true
    const shown = inside
    if (line.startsWith('>>>>>>> ')) inside = false
    return shown
  })
}

export const listWorktrees: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const found = await client.listWorktrees({})
  printResult(context, found, ({ worktrees }) => {
    const short = shortener(worktrees.map(({ sessionId }) => sessionId))
    const columns: Column<WorktreeInfo>[] = [
      { title: 'SESSION', cell: ({ sessionId }) => short(sessionId) },
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'BRANCH', cell: ({ branch }) => branch ?? '' },
      { title: 'PATH', cell: ({ path }) => path },
      { title: 'WORK', cell: ({ lost }) => lost ?? 'Nothing would be lost.', shrinks: true },
    ]
    return tableOr(context, worktrees, columns, 'No worktrees.')
  })
}

export const removeWorktree: Handler<typeof worktreeFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const remove = (confirm: boolean) => client.removeWorktree({ params: { id }, body: { confirm } })
  const asked = async (error: unknown) => {
    const isLoss = error instanceof Error && 'code' in error && error.code === 'work_would_be_lost'
    if (!isLoss || context.keyboard === null) throw error
    context.out.print(error.message)
    await confirmed(context, 'Remove it?', `${programName()} worktrees remove ${shortId(id)} --yes`)
    return remove(true)
  }
  const done = await (flags.yes ? remove(true) : remove(false).catch(asked))
  printResult(context, done, ({ path, branchKept }) =>
    [
      `${exactLine(path)} is removed.`,
      ...(branchKept === null
        ? []
        : [`The branch ${exactLine(branchKept)} was kept: its commits are on no other branch.`]),
    ].join('\n'),
  )
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
