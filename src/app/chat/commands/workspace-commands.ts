import type { Checkpoint } from '../../../domain/checkpoint/schema.ts'
import { restOf, typed, wrongUsage, type Call, type ChatCommandsDeps, type CommandHandler } from './call.ts'
import { shortId, type FindSession } from './find-session.ts'
import { counted, oneLine, privately, refusal, type Reply } from './reply.ts'
import { meantBy } from './words.ts'

const mostListed = 15
const mostOutput = 3000
const mostLabel = 200

/** Checkpoints, and the commands of the configuration. */
export function createWorkspaceCommands({ app, checkpoints, registry }: ChatCommandsDeps, sessions: FindSession) {
  const checkpoint: CommandHandler = async (call) => {
    const found = await sessions.find(call, 1, 'text')
    if ('reply' in found) return found.reply
    const label = restOf(call, found.next).slice(0, mostLabel) || null
    const { id: sessionId } = found.session
    const { actor, once } = call.by
    const made = await checkpoints.create({ sessionId, label, actor, ...(once.key !== undefined && { key: once.key }) })
    if (!made.ok) return refusal(made.fault)
    const { id, fileCount, notKept } = made.value
    const missed = notKept.count === 0 ? '' : ` ${counted(notKept.count, 'file')} could not be saved.`
    return sessions.told(call, sessionId, `${counted(fileCount, 'file')} saved as checkpoint ${endOf(id)}.${missed}`)
  }

  async function listed(call: Call): Promise<Reply> {
    const found = await sessions.find({ ...call, words: call.words.slice(0, 1) }, 1, 'nothing')
    if ('reply' in found) return found.reply
    const all = await app.read.checkpoints(call.by.standing, { sessionId: found.session.id })
    if (!all.ok) return refusal(all.fault)
    if (all.value.length === 0) return privately(`No checkpoints. Make one with: ${typed(call, 'checkpoint')}`)
    return privately(
      all.value
        .slice(0, mostListed)
        .map((one) => `${typed(call, `restore ${endOf(one.id)}`)} ${describeCheckpoint(one)}`)
        .join('\n'),
    )
  }

  const restore: CommandHandler = async (call) => {
    const isSure = call.words.some(({ text }) => text === '--yes')
    const wanted = call.words
      .slice(1)
      .find(({ text }) => text !== '--yes')
      ?.text.toLowerCase()
    if (wanted === undefined) return isSure ? wrongUsage(call, 'CHECKPOINT is missing.') : listed(call)
    const all = await app.read.checkpoints(call.by.standing, { limit: 500 })
    if (!all.ok) return refusal(all.fault)
    const plain = wanted.replaceAll('-', '')
    const [one, ...others] = all.value.filter(
      ({ id, label }) =>
        label?.toLowerCase() === wanted ||
        (plain.length >= 4 && (id.replaceAll('-', '').startsWith(plain) || id.replaceAll('-', '').endsWith(plain))),
    )
    if (!one) return privately(`No such checkpoint: ${oneLine(wanted)}. See them with: ${typed(call, 'restore')}`)
    if (others.length > 0)
      return privately(
        [
          'Several checkpoints match:',
          ...[one, ...others]
            .slice(0, mostListed)
            .map((each) => `${typed(call, `restore ${each.id}`)} ${describeCheckpoint(each)}`),
        ].join('\n'),
      )
    if (!isSure) return looked(call, one)
    const { actor, once } = call.by
    const done = await checkpoints.restore(one.id, {
      removeNew: false,
      actor,
      ...(once.key !== undefined && { key: once.key }),
    })
    if (!done.ok) return refusal(done.fault)
    const { restored, recreated, failed, before } = done.value
    const failures = failed.length === 0 ? '' : ` ${counted(failed.length, 'file')} could not be restored.`
    return sessions.told(
      call,
      before.sessionId,
      [
        `${counted(restored.length + recreated.length, 'file')} restored from checkpoint ${endOf(one.id)}. The agent was ended.${failures}`,
        `To undo this: ${typed(call, `restore ${endOf(before.id)} --yes`)}. To continue: ${typed(call, `continue ${shortId(before.sessionId)}`)}`,
      ].join('\n'),
    )
  }

  async function looked(call: Call, { id }: Checkpoint): Promise<Reply> {
    const look = await checkpoints.look(id, call.by.actor)
    if (!look.ok) return refusal(look.fault)
    const { modified, deleted, added } = look.value.diverged
    if (modified.length + deleted.length + added.length === 0)
      return privately('Nothing has changed since this checkpoint.')
    const lines = [
      ...pathLine('Changed since, restored', modified),
      ...pathLine('Deleted since, restored', deleted),
      ...pathLine('New since, kept', added),
    ]
    return privately(
      [...lines, `To restore these files and end the agent: ${typed(call, `restore ${endOf(id)} --yes`)}`].join('\n'),
    )
  }

  const run: CommandHandler = async (call) => {
    const { by, words } = call
    const known = app.read.may(by.standing).machine ? registry.list() : []
    const alias = words[1]?.text
    if (alias === undefined)
      return privately(
        known.length === 0
          ? 'No commands that you can run.'
          : known.map((one) => `${typed(call, `run ${one.alias}`)} ${oneLine(one.command)}`).join('\n'),
      )
    const found = await sessions.find(call, 2, 'nothing')
    if ('reply' in found) return found.reply
    const { id: sessionId, workspaceRoot: cwd } = found.session
    const steered = await app.dispatch(
      { type: 'session.steer', id: sessionId, what: 'run', detail: alias.slice(0, 500) },
      by.actor,
      by.once,
    )
    if (!steered.ok) return refusal(steered.fault)
    const command = known.find((one) => one.alias === alias)
    if (!command) {
      const meant = meantBy(
        alias,
        known.map((one) => one.alias),
      )
      const hint =
        meant === undefined ? `See them with: ${typed(call, 'run')}` : `Did you mean ${typed(call, `run ${meant}`)}?`
      return privately(`Command not found: ${oneLine(alias)}. ${hint}`)
    }
    if (steered.value.repeated)
      return privately('This command was started before the server restarted. It is not run again.')
    const ran = await registry.run(alias, { sessionId, cwd, mark: await app.read.workspaceMark(sessionId) })
    if (!ran.ok) return refusal(ran.fault)
    const { exitCode, stdout, stderr, timedOut } = ran.value
    const end = timedOut ? 'timed out' : exitCode === null ? 'was killed' : `exited with ${exitCode}`
    const output = [stdout, stderr]
      .filter((part) => part.trim() !== '')
      .join('\n')
      .trimEnd()
    return {
      to: 'sender',
      content: {
        kind: 'card',
        card: {
          title: `${oneLine(alias)} ${end}`,
          tone: exitCode === 0 ? 'good' : 'bad',
          lines: [
            { kind: 'code', text: `$ ${command.command}` },
            { kind: 'code', text: output === '' ? '(no output)' : lastPart(output) },
          ],
          buttons: [],
          footer: ran.value.truncated ? 'The output was truncated.' : null,
          mention: null,
        },
      },
    }
  }

  return { checkpoint, restore, run }
}

/** Ids of checkpoints begin with the time, so their ends are shown. */
const endOf = (id: string): string => id.replaceAll('-', '').slice(-8)

const lastPart = (text: string): string => (text.length > mostOutput ? `…${text.slice(-mostOutput)}` : text)

const describeCheckpoint = ({ label, fileCount, createdAt }: Checkpoint): string =>
  [
    ...(label === null ? [] : [oneLine(label)]),
    counted(fileCount, 'file'),
    `${createdAt.slice(0, 16).replace('T', ' ')} UTC`,
  ].join(' · ')

const shownPaths = 10
const pathLine = (title: string, paths: readonly string[]): string[] =>
  paths.length === 0
    ? []
    : [
        `${title} (${paths.length}): ${paths
          .slice(0, shownPaths)
          .map((path) => oneLine(path, 100))
          .join(', ')}${paths.length > shownPaths ? ', …' : ''}`,
      ]
