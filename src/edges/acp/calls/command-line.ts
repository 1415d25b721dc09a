/** One line that a shell would read as exactly these words: what is shown and compared has one meaning. */
export const lineOf = (words: readonly string[]): string =>
  words.map((word, index) => (index === 0 && word.includes('=') ? quoted(word) : quotedIfOdd(word))).join(' ')

/** What an agent asks to run; a command without arguments is a line for a shell. */
export function commandLine(program: string, args: readonly string[]): string {
  return args.length === 0 ? program.trim() : lineOf([program, ...args])
}

/** The variables before the command, as a person would type them. */
export const withVariables = (variables: Readonly<Record<string, string>>, line: string): string =>
  [...Object.entries(variables).map(([name, value]) => `${name}=${quotedIfOdd(value)}`), line].join(' ')

const shells: readonly string[] = ['/bin/sh', '/bin/bash', '/usr/bin/sh', '/usr/bin/bash', 'sh', 'bash']

/** The script, where this is nothing but a shell that runs it. */
export function scriptOf([program = '', ...args]: readonly string[]): string | null {
  const [option, script, ...more] = args
  const runs = shells.includes(program) && (option === '-c' || option === '-lc') && more.length === 0
  return runs && script !== undefined ? script.trim() : null
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`
const quotedIfOdd = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))
