import type { Executor } from '../db/open.ts'
import type { Context } from '../domain/slice/context.ts'
import { personOf } from '../domain/user/actor.ts'
import { listNames } from '../domain/user/query.ts'
import { ownerNames } from '../domain/user/store.ts'
import type { Failed, Result } from '../lib/result.ts'
import { authorize } from './authorize.ts'
import type { Change, Command } from './command.ts'
import { whomToAsk } from './rules-machine.ts'
import { sliceOf } from './slices.ts'

/** load → authorize → decide; writes nothing. */
export async function decideCommand(db: Executor, command: Command, context: Context): Promise<Result<Change[]>> {
  const loaded = await sliceOf(command).load(db, command, context)
  if ('fault' in loaded) return loaded
  const refused = authorize(loaded.grounds, command)
  const decided = refused ? (loaded.hide?.(refused) ?? refused) : await loaded.decide()
  return decided.ok || decided.fault.code !== 'needs_machine' ? decided : namingWhomToAsk(db, decided, context)
}

async function namingWhomToAsk(db: Executor, refused: Failed, { standing }: Context): Promise<Failed> {
  const id = personOf(standing.actor)
  const name = id === null ? undefined : (await listNames(db)).find((one) => one.id === id)?.displayName
  return whomToAsk(refused, await ownerNames(db), name ?? 'NAME')
}
