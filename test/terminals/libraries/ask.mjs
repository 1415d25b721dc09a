// Asks one question with one prompt library, writes what the library returned to a file, then asks a second question
// that nobody answers: an answer that is typed twice, or too long, ends up there.
import { writeFileSync } from 'node:fs'

const [library = '', kind = '', out = ''] = process.argv.slice(2)
const colours = ['red', 'green', 'blue', 'grey']
const message = 'Colour'

/** Untyped: the libraries' types are of no use here. @param {string} name @returns {Promise<any>} */
const load = (name) => import(name)

/** @type {Record<string, Record<string, () => Promise<unknown>>>} */
const questions = {
  '@inquirer/prompts': {
    input: async () => (await load('@inquirer/prompts')).input({ message: 'Slug' }),
    'input with default': async () => (await load('@inquirer/prompts')).input({ message: 'Slug', default: 'app' }),
    confirm: async () => (await load('@inquirer/prompts')).confirm({ message: 'Publish now?' }),
    select: async () => (await load('@inquirer/prompts')).select({ message, choices: colours }),
    rawlist: async () => (await load('@inquirer/prompts')).rawlist({ message, choices: colours }),
    checkbox: async () => (await load('@inquirer/prompts')).checkbox({ message, choices: colours }),
    search: async () =>
      (await load('@inquirer/prompts')).search({
        message,
        source: (/** @type {string | undefined} */ term) => colours.filter((colour) => colour.includes(term ?? '')),
      }),
    number: async () => (await load('@inquirer/prompts')).number({ message: 'Port', default: 80 }),
    password: async () => (await load('@inquirer/prompts')).password({ message: 'Password' }),
    'password with mask': async () => (await load('@inquirer/prompts')).password({ message: 'Password', mask: '*' }),
    expand: async () =>
      (await load('@inquirer/prompts')).expand({
        message: 'Conflict on file',
        default: 'n',
        choices: [
          { key: 'y', name: 'Overwrite', value: 'overwrite' },
          { key: 'n', name: 'Skip', value: 'skip' },
        ],
      }),
  },
  inquirer: Object.fromEntries(
    Object.entries({
      input: { type: 'input', message: 'Slug' },
      'input with default': { type: 'input', message: 'Slug', default: 'app' },
      confirm: { type: 'confirm', message: 'Publish now?' },
      select: { type: 'select', message, choices: colours },
      checkbox: { type: 'checkbox', message, choices: colours },
      rawlist: { type: 'rawlist', message, choices: colours },
      number: { type: 'number', message: 'Port', default: 80 },
      password: { type: 'password', message: 'Password' },
      'password with mask': { type: 'password', message: 'Password', mask: '*' },
    }).map(([name, question]) => [
      name,
      async () => (await (await load('inquirer')).default.prompt([{ name: 'v', ...question }])).v,
    ]),
  ),
  enquirer: Object.fromEntries(
    Object.entries({
      input: { type: 'input', message: 'Slug' },
      'input with default': { type: 'input', message: 'Slug', initial: 'app' },
      confirm: { type: 'confirm', message: 'Publish now?' },
      select: { type: 'select', message, choices: colours },
      multiselect: { type: 'multiselect', message, choices: colours },
      autocomplete: { type: 'autocomplete', message, choices: colours },
      numeral: { type: 'numeral', message: 'Port' },
      toggle: { type: 'toggle', message: 'Publish now?', enabled: 'yes', disabled: 'no' },
      list: { type: 'list', message: 'Colours' },
      password: { type: 'password', message: 'Password' },
      invisible: { type: 'invisible', message: 'Password' },
      quiz: { type: 'quiz', message, choices: colours, correctChoice: 1 },
      sort: { type: 'sort', message, choices: colours },
      scale: {
        type: 'scale',
        message,
        scale: [
          { name: '1', message: 'Never' },
          { name: '2', message: 'Often' },
        ],
        choices: [{ name: 'red', message: 'Do you like red?' }],
      },
      form: {
        type: 'form',
        message: 'Site',
        choices: [
          { name: 'slug', message: 'Slug', initial: 'app' },
          { name: 'port', message: 'Port' },
        ],
      },
      snippet: { type: 'snippet', message: 'Slug', template: 'name: {{slug}}' },
    }).map(([name, question]) => [
      name,
      async () => (await (await load('enquirer')).default.prompt({ name: 'v', ...question })).v,
    ]),
  ),
  prompts: Object.fromEntries(
    Object.entries({
      text: { type: 'text', message: 'Slug' },
      'text with initial': { type: 'text', message: 'Slug', initial: 'app' },
      number: { type: 'number', message: 'Port' },
      confirm: { type: 'confirm', message: 'Publish now?' },
      toggle: { type: 'toggle', message: 'Publish now?', active: 'yes', inactive: 'no' },
      select: { type: 'select', message, choices: colours.map((title) => ({ title, value: title })) },
      multiselect: { type: 'multiselect', message, choices: colours.map((title) => ({ title, value: title })) },
      autocomplete: { type: 'autocomplete', message, choices: colours.map((title) => ({ title, value: title })) },
      'autocomplete of several': {
        type: 'autocompleteMultiselect',
        message,
        choices: colours.map((title) => ({ title, value: title })),
      },
      list: { type: 'list', message: 'Colours' },
      date: { type: 'date', message: 'Day', initial: new Date(2030, 0, 2) },
      password: { type: 'password', message: 'Password' },
      invisible: { type: 'invisible', message: 'Password' },
    }).map(([name, question]) => [
      name,
      async () => (await (await load('prompts')).default({ name: 'v', ...question })).v,
    ]),
  ),
  '@clack/prompts': Object.fromEntries(
    /** @type {[string, [string, object]][]} */ (
      Object.entries({
        text: ['text', { message: 'Slug' }],
        'text with placeholder': ['text', { message: 'Slug', placeholder: './app' }],
        'text with default': ['text', { message: 'Slug', placeholder: './app', defaultValue: './app' }],
        'text with initial': ['text', { message: 'Slug', initialValue: 'app' }],
        confirm: ['confirm', { message: 'Publish now?' }],
        select: ['select', { message, options: colours.map((value) => ({ value, label: value })) }],
        multiselect: ['multiselect', { message, options: colours.map((value) => ({ value, label: value })) }],
        autocomplete: ['autocomplete', { message, options: colours.map((value) => ({ value, label: value })) }],
        'autocomplete of several': [
          'autocompleteMultiselect',
          { message, options: colours.map((value) => ({ value, label: value })) },
        ],
        'multiselect in groups': [
          'groupMultiselect',
          {
            message,
            options: {
              warm: [{ value: 'red', label: 'red' }],
              cold: [
                { value: 'green', label: 'green' },
                { value: 'blue', label: 'blue' },
              ],
            },
          },
        ],
        'select by key': [
          'selectKey',
          {
            message,
            options: [
              { value: 'r', label: 'red' },
              { value: 'b', label: 'blue' },
            ],
          },
        ],
        path: ['path', { message: 'Slug', root: '/' }],
        date: ['date', { message: 'Day', format: 'YMD' }],
        multiline: ['multiline', { message: 'Slug' }],
        password: ['password', { message: 'Password' }],
      })
    ).map(([name, [call, options]]) => [
      name,
      async () => {
        const clack = await load('@clack/prompts')
        const value = await clack[call](options)
        return clack.isCancel(value) ? 'CANCELLED' : value
      },
    ]),
  ),
  'readline of node': {
    question: async () => nodeReadline('Slug? '),
    confirm: async () => nodeReadline('Publish now? (y/N) '),
  },
  ink: {
    'text input': async () => ink('text'),
    'select input': async () => ink('select'),
  },
}

/** @param {string} question */
async function nodeReadline(question) {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await lines.question(question)
  lines.close()
  return answer
}

/** @param {'text' | 'select'} kind */
async function ink(kind) {
  const [{ createElement: h, useState }, { render, Box, Text }] = await Promise.all([load('react'), load('ink')])
  const { default: TextInput } = await load('ink-text-input')
  const { default: SelectInput } = await load('ink-select-input')
  return await new Promise((resolve) => {
    const finish = (/** @type {unknown} */ value) => {
      app.unmount()
      resolve(value)
    }
    const Field = () => {
      const [value, setValue] = useState('')
      return h(
        Box,
        null,
        h(Text, null, 'Slug: '),
        h(TextInput, { value, onChange: setValue, onSubmit: finish, placeholder: 'app' }),
      )
    }
    const Menu = () =>
      h(
        Box,
        { flexDirection: 'column' },
        h(Text, null, 'Which colour?'),
        h(SelectInput, {
          items: colours.map((value) => ({ label: value, value })),
          onSelect: (/** @type {{ value: string }} */ { value }) => finish(value),
        }),
      )
    const app = render(h(kind === 'text' ? Field : Menu))
  })
}

const ask = questions[library]?.[kind]
if (!ask) throw new Error(`no ${kind} of ${library}`)
const value = await ask()
writeFileSync(out, JSON.stringify(value))
process.stdout.write('\nThank you.\nNext question: ')
// What else is typed is kept too.
process.stdin.setRawMode?.(false)
process.stdin.resume()
process.stdin.on('data', (bytes) => writeFileSync(`${out}.more`, bytes, { flag: 'a' }))
setTimeout(() => process.exit(), 60_000)
