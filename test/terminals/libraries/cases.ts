/** A question of a prompt library, the text that answers it, and what the library must return. */
export type LibraryCase = {
  readonly library: string
  readonly kind: string
  readonly text: string
  readonly value?: unknown
  /** One text can't answer it, or it draws nothing that tells where its mark is: it says `unverified`, and has no answer. */
  readonly honest?: true
  readonly secret?: true
  /** Also in `npm test`; the others only in `npm run test:long`. */
  readonly always?: true
}

const of = (library: string, cases: readonly Omit<LibraryCase, 'library'>[]): LibraryCase[] =>
  cases.map((one) => ({ library, ...one }))

const ticked = { text: 'green, grey', value: ['green', 'grey'] } as const
const always = true
const password = { text: 'hunter22', value: 'hunter22', secret: true } as const

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
    { kind: 'password', ...password, always },
    { kind: 'password with mask', ...password },
  ]),
  ...of('inquirer', [
    { kind: 'input', text: 'web', value: 'web' },
    { kind: 'input with default', text: 'web', value: 'web', always },
    { kind: 'confirm', text: 'n', value: false },
    { kind: 'select', text: 'blue', value: 'blue' },
    { kind: 'checkbox', ...ticked },
    { kind: 'rawlist', text: 'blue', value: 'blue' },
    { kind: 'number', text: '8080', value: 8080 },
    { kind: 'password', ...password, always },
    { kind: 'password with mask', ...password },
  ]),
  ...of('enquirer', [
    { kind: 'input', text: 'web', value: 'web' },
    { kind: 'input with default', text: 'web', value: 'web', always },
    { kind: 'confirm', text: 'y', value: true },
    { kind: 'select', text: 'blue', value: 'blue', always },
    { kind: 'multiselect', ...ticked, always },
    { kind: 'autocomplete', text: 'blue', value: 'blue' },
    { kind: 'numeral', text: '8080', value: 8080 },
    { kind: 'toggle', text: 'no', value: false },
    { kind: 'toggle', text: 'yes', value: true },
    { kind: 'list', text: 'red, blue', value: ['red', 'blue'] },
    { kind: 'quiz', text: 'green', value: { selectedAnswer: 'green', correctAnswer: 'green', correct: true } },
    { kind: 'scale', text: '2', honest: true },
    { kind: 'form', text: 'web', honest: true },
    { kind: 'password', ...password },
    { kind: 'invisible', ...password },
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
    { kind: 'autocomplete of several', ...ticked },
    { kind: 'list', text: 'red, blue', value: ['red', 'blue'] },
    { kind: 'date', text: '2031-05-06', honest: true },
    { kind: 'password', ...password },
    { kind: 'invisible', ...password },
  ]),
  ...of('@clack/prompts', [
    { kind: 'text', text: 'web', value: 'web', always },
    { kind: 'text with placeholder', text: 'web', value: 'web' },
    { kind: 'text with default', text: 'web', value: 'web' },
    { kind: 'text with initial', text: 'web', value: 'web', always },
    { kind: 'confirm', text: 'no', value: false, always },
    { kind: 'confirm', text: 'n', value: false },
    { kind: 'select', text: 'blue', value: 'blue', always },
    { kind: 'multiselect', ...ticked, always },
    { kind: 'autocomplete', text: 'blue', value: 'blue', always },
    { kind: 'autocomplete of several', ...ticked },
    { kind: 'multiselect in groups', text: 'green, blue', value: ['green', 'blue'], always },
    { kind: 'select by key', text: 'b', value: 'b' },
    { kind: 'select by key', text: 'blue', value: 'b' },
    { kind: 'path', text: '/etc/hostname', value: '/etc/hostname' },
    { kind: 'path', text: '/etc', honest: true, always },
    { kind: 'date', text: '2031-05-06', honest: true, always },
    { kind: 'multiline', text: 'web', value: 'web' },
    { kind: 'password', ...password },
  ]),
  ...of('readline of node', [
    { kind: 'question', text: 'web', value: 'web' },
    { kind: 'confirm', text: 'y', value: 'y' },
  ]),
  ...of('ink', [
    { kind: 'text input', text: 'web', value: 'web', always },
    { kind: 'select input', text: 'blue', value: 'blue', always },
  ]),
  ...of('click', [
    { kind: 'text', text: 'web', value: 'web' },
    { kind: 'text with default', text: 'web', value: 'web', always },
    { kind: 'number', text: '8080', value: 8080 },
    { kind: 'range', text: '8080', value: 8080 },
    { kind: 'choice', text: 'blue', value: 'blue' },
    { kind: 'choice with default', text: 'blue', value: 'blue' },
    { kind: 'confirm', text: 'y', value: true },
    { kind: 'confirm with default', text: 'n', value: false },
    { kind: 'password', ...password },
  ]),
  ...of('typer', [
    { kind: 'text', text: 'web', value: 'web' },
    { kind: 'text with default', text: 'web', value: 'web' },
    { kind: 'confirm', text: 'y', value: true },
  ]),
  ...of('rich', [
    { kind: 'text', text: 'web', value: 'web' },
    { kind: 'text with default', text: 'web', value: 'web' },
    { kind: 'choice', text: 'blue', value: 'blue', always },
    { kind: 'choice with default', text: 'blue', value: 'blue' },
    { kind: 'number', text: '8080', value: 8080 },
    { kind: 'float', text: '1.5', value: 1.5 },
    { kind: 'confirm', text: 'y', value: true },
    { kind: 'confirm with default', text: 'n', value: false },
    { kind: 'password', ...password },
  ]),
  ...of('prompt_toolkit', [
    { kind: 'text', text: 'web', value: 'web' },
    { kind: 'text with default', text: 'web', value: 'web', always },
    { kind: 'text with placeholder', text: 'web', value: 'web' },
    { kind: 'text with completion', text: 'blue', value: 'blue' },
    { kind: 'confirm', text: 'y', value: true },
    { kind: 'password', ...password },
    { kind: 'input dialog', text: 'web', value: 'web', always },
    { kind: 'yes or no dialog', text: 'no', value: false },
    { kind: 'button dialog', text: 'later', value: 'later' },
    { kind: 'radio list dialog', text: 'blue', value: 'blue', always },
    { kind: 'check list dialog', ...ticked },
  ]),
  ...of('python', [
    { kind: 'input', text: 'web', value: 'web' },
    { kind: 'confirm', text: 'y', value: 'y' },
    { kind: 'getpass', ...password },
  ]),
  ...['readline', 'libedit'].flatMap((library) =>
    of(library, [
      { kind: 'text', text: 'web', value: 'web' },
      { kind: 'confirm', text: 'y', value: 'y' },
    ]),
  ),
  ...['dialog', 'whiptail'].flatMap((library) =>
    of(library, [
      { kind: 'yesno', text: 'yes', value: '0' },
      { kind: 'yesno', text: 'no', value: '1' },
      { kind: 'defaultno', text: 'yes', value: '0' },
      { kind: 'msgbox', text: '', value: '0' },
      { kind: 'inputbox', text: 'web', value: 'web' },
      { kind: 'inputbox with default', text: 'web', value: 'web', ...(library === 'dialog' && { always }) },
      { kind: 'menu', text: 'blue', value: 'blue', always },
      { kind: 'radiolist', text: 'blue', value: 'blue' },
      { kind: 'checklist', ...ticked, always },
      { kind: 'passwordbox', ...password },
    ]),
  ),
  ...of('fzf', [
    { kind: 'select', text: 'blue', value: 'blue', always },
    { kind: 'in a few rows', text: 'blue', value: 'blue' },
  ]),
  ...of('bash', [
    { kind: 'read', text: 'web', value: 'web' },
    { kind: 'read -e', text: 'web', value: 'web' },
    { kind: 'read -e with default', text: 'web', value: 'web' },
    { kind: 'read -n 1', text: 'y', value: 'y' },
    { kind: 'read -s', ...password },
    { kind: 'select', text: '3', value: 'blue' },
  ]),
  ...of('zsh', [
    { kind: 'read', text: 'web', value: 'web' },
    { kind: 'read -q', text: 'y', value: 'y' },
    { kind: 'vared', text: 'web', value: 'web' },
    { kind: 'select', text: '3', value: 'blue' },
  ]),
  ...of('ksh', [
    { kind: 'read', text: 'web', value: 'web' },
    { kind: 'select', text: '3', value: 'blue' },
  ]),
  ...of('curses', [
    { kind: 'line', text: 'web', value: 'web' },
    { kind: 'box', text: 'web', value: 'web' },
    { kind: 'menu', text: 'blue', value: 'blue' },
  ]),
  ...['dash', 'busybox'].flatMap((library) => of(library, [{ kind: 'read', text: 'web', value: 'web' }])),
  ...of('perl', [{ kind: 'readline', text: 'web', value: 'web' }]),
  ...of('tclsh', [{ kind: 'gets', text: 'web', value: 'web' }]),
  ...of('lua5.4', [{ kind: 'read', text: 'web', value: 'web' }]),
]

/** The same questions with other answers. */
export const manyCases: readonly LibraryCase[] = libraryCases.flatMap((one) => [one].concat(others(one)))

function others(one: LibraryCase): LibraryCase[] {
  const { kind, text, value, honest } = one
  if (honest) return []
  const other = (next: string, returned: unknown = next): LibraryCase => ({ ...one, text: next, value: returned })
  const again = (...texts: string[]): LibraryCase[] => texts.map((next) => other(next))
  const chosen = (next: string): LibraryCase => {
    const list = next.split(', ')
    // Programs print a line for each.
    return other(next, list.length === 1 && isProgram(one) ? next : list)
  }
  if (kind === 'quiz' || kind === 'path') return []
  if (text === ticked.text && Array.isArray(value)) return ['blue', 'red, grey', 'red, green, blue'].map(chosen)
  if (value !== text) return text === '8080' ? [other('443', 443)] : []
  if (text === 'web') return again('my-site', 'x7')
  if (text === 'blue') return again('green', 'red', 'grey')
  return one.secret ? again('correct-horse', 'pa$$word1') : []
}

function isProgram({ library }: LibraryCase): boolean {
  return library === 'dialog' || library === 'whiptail'
}
