import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

let name = 'signalbox'

/** The program name as typed here, for lines to copy. */
export const programName = (): string => name

/** In a clone the program is run by its path. A clone has `src/` beside `dist/`; a package does not. */
export function setProgramName(program: string | undefined): void {
  if (program === undefined || !existsSync(program)) return
  name = existsSync(join(dirname(realpathSync(program)), '..', 'src')) ? './signalbox' : 'signalbox'
}

/** Replaces `signalbox` in our own texts; never used on texts of agents and people. */
export const withProgramName = (text: string): string =>
  name === 'signalbox' ? text : text.replaceAll(/(?<![\w./-])signalbox(?= (?:[a-zA-Z]|--))/g, name)
