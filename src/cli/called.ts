import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

let name = 'signalbox'

/** How the command line is called here, for every line that is to be copied. */
export const called = (): string => name

/** In a clone it is called by its path: beside `dist/` stands `src/`, which no package holds. */
export function callByProgram(program: string | undefined): void {
  if (program === undefined || !existsSync(program)) return
  name = existsSync(join(dirname(realpathSync(program)), '..', 'src')) ? './signalbox' : 'signalbox'
}

/** Our own words that name a command, as it is called here; never for words of agents and people. */
export const asCalled = (text: string): string =>
  name === 'signalbox' ? text : text.replaceAll(/(?<![\w./-])signalbox(?= (?:[a-zA-Z]|--))/g, name)
