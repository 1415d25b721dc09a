import type { SessionId } from '../../domain/session/id.ts'
import type { Fault } from '../../lib/result.ts'
import type { App } from '../app.ts'
import { oneLine } from './commands/reply.ts'
import { seeing } from './seeing.ts'

/** For a person we know who does not own a session (R3). They see its thread, so they learn nothing by it. */
export async function ownersOnly(app: Pick<App, 'read'>, id: SessionId | null): Promise<Fault> {
  const session = id === null ? null : await app.read.session(seeing, id)
  const owner = session?.ok ? await app.read.user(seeing, session.value.ownerUserId) : null
  const name = owner?.ok ? oneLine(owner.value.displayName) : 'them'
  return {
    kind: 'forbidden',
    code: 'not_owner',
    message: 'Only the owner of the session can do this.',
    hint: `Ask ${name} to do it, or to delegate the session to you.`,
  }
}

/** Whether a command was refused because of whose session it is. */
export const isNotTheirs = ({ kind, code }: Fault): boolean => kind === 'not_found' || code === 'not_owner'
