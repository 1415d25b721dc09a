import { shellLine } from '../../../lib/shell-words.ts'

/** What an agent asks to run; a command without arguments is a line for a shell. */
export function commandLine(program: string, args: readonly string[]): string {
  return args.length === 0 ? program.trim() : shellLine([program, ...args])
}

const shells: readonly string[] = ['/bin/sh', '/bin/bash', '/usr/bin/sh', '/usr/bin/bash', 'sh', 'bash']

/** The script, where this is nothing but a shell that runs it. */
export function scriptOf([program = '', ...args]: readonly string[]): string | null {
  const [option, script, ...more] = args
  const runs = shells.includes(program) && (option === '-c' || option === '-lc') && more.length === 0
  return runs && script !== undefined ? script.trim() : null
}
