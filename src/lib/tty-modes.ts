import { createSttyShell } from './stty-shell.ts'

/** The settings of a terminal: whether it echoes input, and whether it delivers whole lines. */
export type TtyMode = { echo: boolean; canonical: boolean }

export type TtyModes = Disposable & {
  /** Null if unknown. */
  read(tty: string): Promise<TtyMode | null>
}

export function createTtyModes(): TtyModes {
  const shell = createSttyShell()
  return {
    read: async (tty) => modeIn(`${await shell.stty(tty, '-a')};`),
    [Symbol.dispose]: () => shell[Symbol.dispose](),
  }
}

export function modeIn(settings: string): TtyMode | null {
  const echo = /(^|[\s;])(-?)echo(?=[\s;])/m.exec(settings)
  const canonical = /(^|[\s;])(-?)icanon(?=[\s;])/m.exec(settings)
  return echo && canonical ? { echo: echo[2] === '', canonical: canonical[2] === '' } : null
}
