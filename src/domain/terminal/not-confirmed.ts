import { fail, type Failed } from '../../lib/result.ts'

/** Nothing is typed into a dangerous prompt before the person was asked again. */
export const notConfirmed = (why: string): Failed =>
  fail({
    kind: 'conflict',
    code: 'danger_not_confirmed',
    message: `Nothing was typed, because this prompt is dangerous: ${why}.`,
    hint: 'If you are sure: --yes on the command line, "confirm TEXT" in a chat, `confirmed` with the id of the prompt in the API.',
  })
