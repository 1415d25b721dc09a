import type { ActionProps } from './action-props.ts'

export type Offers = {
  offers: { value: string; words: string }[]
  freeText: boolean
  secret: boolean
  /** Why an answer is dangerous. */
  danger: string | null
  /** What the approve and reject keys send, for a yes/no question. */
  yes: string | null
  no: string | null
  label: string
}

/** The ways to reply. */
export function offersOf(subject: ActionProps<'question' | 'terminal_prompt' | 'credential'>['subject']): Offers {
  if (subject.kind === 'question') {
    const offers = subject.options.map(({ label, value }) => ({ value, words: label }))
    return {
      offers,
      freeText: subject.freeText || offers.length === 0,
      secret: false,
      danger: null,
      ...yesAndNo(offers.map(({ value }) => value)),
      label: 'Your answer',
    }
  }
  if (subject.kind === 'credential')
    return {
      offers: [],
      freeText: true,
      secret: true,
      danger: null,
      yes: null,
      no: null,
      label: 'Value (stored encrypted; the agent never sees it)',
    }
  const { suggestedInputs, secret, dangerous, dangerReason, promptType } = subject
  const values = secret ? [] : [...new Set(suggestedInputs)]
  return {
    offers: values.map((value) => ({ value, words: value === '' ? 'Enter' : value })),
    freeText: true,
    secret,
    danger: dangerous ? (dangerReason ?? 'The answer may do damage.') : null,
    ...(promptType === 'yes_no' ? yesAndNo(values) : { yes: null, no: null }),
    label: secret ? 'Secret (not stored)' : 'Type an answer',
  }
}

const yesAndNo = (values: readonly string[]) => ({
  yes: values.find((value) => /^y(es)?$/i.test(value)) ?? null,
  no: values.find((value) => /^no?$/i.test(value)) ?? null,
})
