/** A question of a prompt library, the text that answers it, and what the library must return. */
export type LibraryCase = {
  readonly library: string
  readonly kind: string
  readonly text: string
  readonly value: unknown
  /** It draws nothing that tells which entry the mark is at, or what is ticked: nothing may be chosen blindly. */
  readonly cannotBeSeen?: true
  /** Also in `npm test`; the others only in `npm run test:long`. */
  readonly always?: true
}

const of = (library: string, cases: readonly Omit<LibraryCase, 'library'>[]): LibraryCase[] =>
  cases.map((one) => ({ library, ...one }))

const ticked = { text: 'green, grey', value: ['green', 'grey'] } as const
const always = true

export const libraryCases: readonly LibraryCase[] = [
  ...of('@inquirer/prompts', [
    { kind: 'input', text: 'web', value: 'web' },
    { kind: 'input with default', text: 'web', value: 'web', always },
    { kind: 'confirm', text: 'n', value: false },
    { kind: 'confirm', text: 'no', value: false, always },
    { kind: 'confirm', text: 'yes', value: true },
    { kind: 'select', text: 'blue', value: 'blue', always },
    { kind: 'rawlist', text: '3', value: 'blue' },
    { kind: 'rawlist', text: 'blue', value: 'blue', always },
    { kind: 'checkbox', ...ticked, always },
    { kind: 'search', text: 'blue', value: 'blue' },
    { kind: 'number', text: '8080', value: 8080 },
    { kind: 'expand', text: 'y', value: 'overwrite' },
  ]),
  ...of('inquirer', [
    { kind: 'input', text: 'web', value: 'web' },
    { kind: 'input with default', text: 'web', value: 'web', always },
    { kind: 'confirm', text: 'n', value: false },
    { kind: 'select', text: 'blue', value: 'blue' },
    { kind: 'checkbox', ...ticked },
  ]),
  ...of('enquirer', [
    { kind: 'input', text: 'web', value: 'web' },
    { kind: 'input with default', text: 'web', value: 'web', always },
    { kind: 'confirm', text: 'y', value: true },
    { kind: 'select', text: 'blue', value: 'blue', always },
    { kind: 'multiselect', ...ticked, cannotBeSeen: true, always },
    { kind: 'autocomplete', text: 'blue', value: 'blue' },
    { kind: 'numeral', text: '8080', value: 8080 },
  ]),
  ...of('prompts', [
    { kind: 'text', text: 'web', value: 'web' },
    { kind: 'text with initial', text: 'web', value: 'web', always },
    { kind: 'number', text: '8080', value: 8080 },
    { kind: 'confirm', text: 'y', value: true },
    { kind: 'toggle', text: 'yes', value: true, always },
    { kind: 'select', text: 'blue', value: 'blue', always },
    { kind: 'multiselect', ...ticked, always },
    { kind: 'autocomplete', text: 'blue', value: 'blue' },
  ]),
  ...of('@clack/prompts', [
    { kind: 'text', text: 'web', value: 'web', always },
    { kind: 'text with placeholder', text: 'web', value: 'web' },
    { kind: 'text with default', text: 'web', value: 'web' },
    { kind: 'text with initial', text: 'web', value: 'web', always },
    { kind: 'confirm', text: 'no', value: false, always },
    { kind: 'confirm', text: 'n', value: false },
    { kind: 'select', text: 'blue', value: 'blue', always },
    { kind: 'multiselect', ...ticked, cannotBeSeen: true },
    { kind: 'autocomplete', text: 'blue', value: 'blue', always },
  ]),
  ...of('ink', [
    { kind: 'text input', text: 'web', value: 'web', always },
    { kind: 'select input', text: 'blue', value: 'blue', always },
  ]),
]
