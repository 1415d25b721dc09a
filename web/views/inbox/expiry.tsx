import type { Ask } from '../../../src/domain/ask/schema.ts'
import { Time, useNow } from '../../ui/time.tsx'
import { expiryWords } from '../asks/words.ts'

/** What the end of its time means for an ask. Nothing expires right after the server has started. */
export function Expiry({ kind, at }: { kind: Ask['kind']; at: string }) {
  const isOver = Date.parse(at) <= useNow()
  if (isOver) return <>{kind === 'prompt' ? 'continuing automatically' : 'expired'}</>
  return (
    <>
      {expiryWords({ kind })} <Time at={at} />
    </>
  )
}
