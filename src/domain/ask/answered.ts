import { canonicalJson } from '../../lib/json.ts'
import { sha256 } from '../../lib/secret.ts'
import type { Answer } from './answer.ts'
import type { AskChange } from './change.ts'

type Ref = Pick<AskChange['data'], 'id' | 'sessionId' | 'answerers'>

/** The change that records an answer. */
export const answeredBy = (ref: Ref, answer: Answer, by: string, automatic: boolean): AskChange => ({
  type: 'ask.answered',
  data: { ...ref, by, outcome: answer.outcome, answerHash: sha256(canonicalJson(answer)), automatic },
  body: answer,
})
