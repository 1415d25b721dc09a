import type { Ask } from '../../../src/domain/ask/schema.ts'
import { safeText } from '../../ui/safe-text.ts'
import { Time, useNow } from '../../ui/time.tsx'
import { useMe } from '../asks/use-names.ts'
import { expiryText } from '../asks/ask-labels.ts'

export type SourceSession = {
  agent: string | null
  repoName: string | null
  workspaceRoot: string
  protocolMode: string
  ownerUserId: string
  ownerName: string | null
}

const folder = (path: string): string => path.split('/').findLast((part) => part !== '') ?? path

export const agentText = ({ agent, protocolMode }: Pick<SourceSession, 'agent' | 'protocolMode'>): string =>
  agent === null ? (protocolMode === 'terminal' ? 'Terminal' : 'Agent') : safeText(agent)

/** The agent, its workspace, and its owner if not you. */
export function AskSource({ session }: { session: SourceSession | null }) {
  const me = useMe()
  if (!session) return <>Signalbox</>
  const isMine = me === null || session.ownerUserId === me.id
  return (
    <>
      <span className="font-medium text-text">{agentText(session)}</span>
      {' in '}
      {safeText(session.repoName ?? folder(session.workspaceRoot))}
      {!isMine && session.ownerName !== null && ` · ${safeText(session.ownerName)}`}
    </>
  )
}

/** What happens when an ask expires. Nothing expires right after a server start. */
export function Expiry({ kind, at }: { kind: Ask['kind']; at: string }) {
  const isOver = Date.parse(at) <= useNow()
  if (isOver) return <>{kind === 'prompt' ? 'continuing automatically' : 'expired'}</>
  return (
    <>
      {expiryText({ kind })} <Time at={at} />
    </>
  )
}
