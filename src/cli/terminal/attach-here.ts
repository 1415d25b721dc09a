import type { AttachClient, ChildInfo } from '../../keeper-client/client.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { isList, jsonOrNull } from '../../lib/parse-json.ts'
import { programName } from '../program-name.ts'
import { cleanLine } from '../clean-text.ts'
import type { Context } from '../context.ts'
import { exit, Failure } from '../failure.ts'
import { findId, shortId } from '../ids.ts'
import { readDetachKeys, usualDetachKeys } from './detach-keys.ts'
import { attachToChild } from './attach-to-child.ts'
import { isTerminal, reachKeeper, sessionOf } from './reach-keeper.ts'
import { screenNow } from './screen-now.ts'

/** From the first byte the keeper still has: it drops what a server has stored. */
const firstByte = 0

type DetachFlag = { 'detach-keys': string | undefined }
type HeldProgram = { id: string; child: ChildInfo }

/** The programs in terminals that this machine's keeper holds. */
async function programs(keeper: AttachClient): Promise<HeldProgram[]> {
  return (await keeper.list()).filter(isTerminal).map((child) => ({ id: sessionOf(child), child }))
}

/** Attaches to the terminal of a session that a server knows. */
export async function attachKnown(
  context: Context,
  session: SessionId,
  flags: DetachFlag & { named: boolean },
): Promise<number> {
  const detachKeys = readDetachKeys(flags['detach-keys'] ?? usualDetachKeys)
  if (context.url !== undefined) throw notFromHere(session)
  const keeper = await reachKeeper(context, false)
  const found = keeper && (await programs(keeper)).find(({ id }) => id === session)
  if (!keeper || !found || found.child.exit !== null) {
    await keeper?.[Symbol.asyncDispose]()
    throw hasEnded(session)
  }
  if (!flags.named) sayWhich(context, found)
  const seen = await screenNow(context, session, { above: Number.isFinite(context.out.width) })
  return attachToChild({
    context,
    keeper,
    childId: found.child.id,
    session,
    from: firstByte,
    to: found.child.to,
    ...seen,
    detachKeys,
    visits: true,
  })
}

/** Without a server: attaches to a program in the keeper, by id or name. Null if it holds none. */
export async function attachAlone(
  context: Context,
  text: string | undefined,
  flags: DetachFlag,
): Promise<number | null> {
  const detachKeys = readDetachKeys(flags['detach-keys'] ?? usualDetachKeys)
  const keeper = await reachKeeper(context, false)
  if (!keeper) return null
  try {
    const held = (await programs(keeper)).filter(({ child }) => child.exit === null)
    const [only, ...others] = held
    if (!only) {
      await keeper[Symbol.asyncDispose]()
      return null
    }
    const id = text === undefined && others.length === 0 ? only.id : await idOf(text ?? '', held)
    const found = held.find((one) => one.id === id)
    if (!found) throw hasEnded(id)
    if (text === undefined) sayWhich(context, found)
    const { id: childId, to } = found.child
    return await attachToChild({
      context,
      keeper,
      childId,
      session: id,
      from: firstByte,
      to,
      detachKeys,
      visits: true,
    })
  } catch (error) {
    await keeper[Symbol.asyncDispose]()
    throw error
  }
}

/** If no terminal was named, say which one it is. */
function sayWhich({ out }: Context, { id, child }: HeldProgram): void {
  const name = child.label['name'] ?? commandOf(child)
  out.note(`Terminal ${shortId(id)}${name === '' ? '' : ` (${cleanLine(name)})`}: the only one running here.`)
}

function commandOf({ label }: ChildInfo): string {
  const words = jsonOrNull(label['command'] ?? '[]', isList) ?? []
  return words.join(' ').slice(0, 60)
}

function idOf(text: string, held: readonly HeldProgram[]): Promise<string> {
  if (text === '')
    throw new Failure({
      exit: exit.usage,
      code: 'ambiguous_id',
      message: `${held.length} terminals are running, but no server is running to say which is which.`,
      hint: [
        'Name one of them:',
        ...held.map(
          ({ id, child }) =>
            `${programName()} attach ${shortId(id)}  # ${cleanLine(child.label['name'] ?? commandOf(child))}`,
        ),
      ].join('\n'),
    })
  async function* pages() {
    yield held
  }
  return findId<HeldProgram>(text, {
    what: 'terminal',
    list: 'signalbox attach',
    pages: pages(),
    alsoCalled: ({ child }) => (child.label['name'] === undefined ? [] : [child.label['name']]),
  })
}

const hasEnded = (session: string): Failure =>
  new Failure({
    exit: exit.conflict,
    code: 'terminal_ended',
    message: `Terminal ${shortId(session)} has no running program to attach to.`,
    hint: `What it printed: ${programName()} terminals replay ${shortId(session)}`,
  })

const notFromHere = (session: string): Failure =>
  new Failure({
    exit: exit.usage,
    code: 'not_from_here',
    message: 'You can attach to a terminal only on its own machine.',
    hint: `From here: ${programName()} terminals show ${shortId(session)}, and answer or keys`,
  })
