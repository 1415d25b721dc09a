import { safeText } from '../../ui/safe-text.ts'
import { useMe } from '../asks/use-names.ts'

export type Asker = {
  agent: string | null
  repoName: string | null
  workspaceRoot: string
  protocolMode: string
  ownerUserId: string
  ownerName: string | null
}

const folder = (path: string): string => path.split('/').findLast((part) => part !== '') ?? path

export const agentWords = ({ agent, protocolMode }: Pick<Asker, 'agent' | 'protocolMode'>): string =>
  agent === null ? (protocolMode === 'terminal' ? 'Terminal' : 'Agent') : safeText(agent)

/** Which agent, where, and whose it is if it is not yours. */
export function WhoAsks({ session }: { session: Asker | null }) {
  const me = useMe()
  if (!session) return <>Signalbox</>
  const isMine = me === null || session.ownerUserId === me.id
  return (
    <>
      <span className="font-medium text-text">{agentWords(session)}</span>
      {' in '}
      {safeText(session.repoName ?? folder(session.workspaceRoot))}
      {!isMine && session.ownerName !== null && ` · ${safeText(session.ownerName)}`}
    </>
  )
}
