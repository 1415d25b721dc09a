import { ok, type Result } from '../../lib/result.ts'
import type { Answer, Connection } from '../connection.ts'
import type { ConditionalWrite, Keeper, Probed } from '../types.ts'

/** The server's part of working terminals. */
export function terminalsOver({
  ask,
  tell,
}: Connection): Pick<Keeper, 'writeIf' | 'resize' | 'signal' | 'probe' | 'reply'> {
  const done = (answer: Result<Answer>): Result<void> => (answer.ok ? ok(undefined) : answer)
  return {
    async writeIf(id, key, bytes, cond) {
      const payload = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
      const answer = await ask('write-if', { id, key, cond }, payload)
      return answer.ok ? ok(answer.value.value as ConditionalWrite) : answer
    },
    resize: async (id, size, { force = false } = {}) => done(await ask('resize', { id, ...size, force })),
    signal: async (id, name) => done(await ask('signal', { id, signal: name })),
    reply: (id, bytes) => tell('reply', { id }, bytes),
    async probe(id) {
      const answer = await ask('probe', { id })
      return answer.ok ? ok(answer.value.value as Probed | null) : answer
    },
  }
}
