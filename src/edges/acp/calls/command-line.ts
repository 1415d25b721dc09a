import { shellLine } from '../../../lib/shell-words.ts'

/** The command an agent asks to run. Without arguments it is a shell line. */
export function commandLine(program: string, args: readonly string[]): string {
  return args.length === 0 ? program.trim() : shellLine([program, ...args])
}

const shells: readonly string[] = ['/bin/sh', '/bin/bash', '/usr/bin/sh', '/usr/bin/bash', 'sh', 'bash']

/** The script, if the command only runs one in a shell. */
export function scriptOf([program = '', ...args]: readonly string[]): string | null {
  const [option, script, ...more] = args
  const runs = shells.includes(program) && (option === '-c' || option === '-lc') && more.length === 0
  return runs && script !== undefined ? script.trim() : null
}
