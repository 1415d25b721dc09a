import type { Ask } from '../../../src/domain/ask/schema.ts'
import { Time, useNow } from '../../ui/time.tsx'
import { expiryText } from '../asks/ask-labels.ts'

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
