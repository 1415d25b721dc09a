import type { Act } from './act.ts'

export type Offers = {
  offers: { value: string; words: string }[]
  freeText: boolean
  secret: boolean
  /** Why an answer can do harm. */
  danger: string | null
  /** What the keys for yes and no stand for, where it is a question of yes or no. */
  yes: string | null
  no: string | null
  label: string
}

/** The ways to answer in words. */
export function offersOf(subject: Act<'question' | 'terminal_prompt'>['subject']): Offers {
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
  const { suggestedInputs, secret, dangerous, dangerReason, promptType } = subject
  const values = secret ? [] : [...new Set(suggestedInputs)]
  return {
    offers: values.map((value) => ({ value, words: value === '' ? 'Enter' : value })),
    freeText: true,
    secret,
    danger: dangerous ? (dangerReason ?? 'The answer can do harm.') : null,
    ...(promptType === 'yes_no' ? yesAndNo(values) : { yes: null, no: null }),
    label: secret ? 'Secret (not stored)' : 'Type an answer',
  }
}

const yesAndNo = (values: readonly string[]) => ({
  yes: values.find((value) => /^y(es)?$/i.test(value)) ?? null,
  no: values.find((value) => /^no?$/i.test(value)) ?? null,
})
