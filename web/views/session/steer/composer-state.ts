import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { deniedText, ownersOnly } from '../../../ui/denied-text.ts'
import { hasEnded } from '../../../../src/domain/session/status.ts'
import { turnOf } from './current-turn.ts'

type ComposerFacts = Pick<SessionDetail, 'status' | 'protocolMode' | 'agentState' | 'queue' | 'isolation'>

/** Why no message can be sent now, or null if one can; `what` is the action that helps. */
export function composerBlock(
  { status, protocolMode, isolation }: ComposerFacts,
  mayAct: boolean,
  ownerName: string | null,
  hasMachine: boolean,
): { why: string; help: 'continue' | 'start' | 'recover' | null } | null {
  if (!mayAct) return { why: ownersOnly(ownerName, 'message this agent'), help: null }
  if (protocolMode === 'terminal') return { why: 'Open the terminal to type.', help: null }
  if (protocolMode === 'acp' && isolation === 'none' && !hasMachine && !hasEnded(status))
    return { why: deniedText('Messaging an agent without a sandbox', 'machine'), help: null }
  if (status === 'interrupted') return { why: 'The agent was lost. Recover the session to continue.', help: 'recover' }
  if (hasEnded(status) && protocolMode === 'mcp')
    return {
      why: 'This session has ended. Its agent does not run in Signalbox: start it again where it ran, or start one here.',
      help: 'start',
    }
  if (hasEnded(status)) return { why: 'This session has ended. Continue it as a new one.', help: 'continue' }
  return null
}

/** What happens to a message sent now. */
export function sendingText(session: ComposerFacts): string {
  const { status, protocolMode } = session
  if (protocolMode === 'mcp') return 'The agent gets it with its next heartbeat.'
  if (status === 'created') return 'Sends once the agent has started.'
  if (status === 'paused') return 'Sends when the session is resumed.'
  return turnOf(session) ? 'Sends after this turn.' : ''
}
