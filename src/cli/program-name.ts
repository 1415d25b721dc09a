import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

let name = 'signalbox'

/** The program name as typed here, for lines to copy. */
export const programName = (): string => name

/** Set by `./signalbox` of a clone: how it was called. */
const calledAs = 'SIGNALBOX_CALLED_AS'

/** In a clone the program is run by its path, unless it is on the PATH. A clone has `src/` beside `dist/`; a package does not. */
export function setProgramName(program: string | undefined, env: NodeJS.ProcessEnv): void {
  const called = env[calledAs]
  // Only for this process: programs that it starts are called in other ways.
  delete env[calledAs]
  if (program === undefined || !existsSync(program)) return
  const inClone = existsSync(join(dirname(realpathSync(program)), '..', 'src'))
  name = inClone && !isOnPath(called, env['PATH'] ?? '') ? './signalbox' : 'signalbox'
}

/** A shell that finds a script on the PATH passes its whole path. */
const isOnPath = (called: string | undefined, path: string): boolean =>
  called !== undefined && path.split(delimiter).some((folder) => join(folder, 'signalbox') === called)

/** Replaces `signalbox` in our own texts; never used on texts of agents and people. */
export const withProgramName = (text: string): string =>
  name === 'signalbox' ? text : text.replaceAll(/(?<![\w./-])signalbox(?= (?:[a-zA-Z]|--))/g, name)
