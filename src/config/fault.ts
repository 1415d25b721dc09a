import { isAbsolute, relative } from 'node:path'
import { printable } from './describe-value.ts'

export type ConfigFault = {
  readonly source: 'file' | 'environment' | 'flag'
  readonly file?: string
  readonly line?: number
  /** The environment variable, if the value came from one. */
  readonly variable?: string
  /** Dotted, as in the file: `timeouts.approval_seconds`, `workspace[1].id`. */
  readonly key: string
  readonly message: string
  readonly hint?: string
}

export type ConfigPlace = Pick<ConfigFault, 'source' | 'file' | 'line' | 'variable'>

const bare = /^[A-Za-z0-9_-]+$/

/** A path as in TOML, with list positions counted from 0. */
export function dotted(path: readonly (string | number)[]): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else text += (text === '' ? '' : '.') + (bare.test(part) ? printable(part) : `"${printable(part)}"`)
  }
  return text
}

function place(fault: ConfigFault, cwd: string): string {
  if (fault.source === 'environment') return fault.variable ?? 'environment'
  if (fault.source === 'flag') return 'command line'
  const file = fault.file ?? 'config.toml'
  const near = relative(cwd, file)
  const name = near === '' || near.startsWith('..') || isAbsolute(near) ? file : near
  return fault.line === undefined ? name : `${name}:${fault.line}`
}

/** One block per fault: where, which key, what is wrong, what to do. */
export function formatFaults(faults: readonly ConfigFault[], cwd: string = process.cwd()): string {
  return faults
    .map((fault) => {
      const head = [place(fault, cwd), fault.key, fault.message].filter((part) => part !== '').join('  ')
      if (fault.hint === undefined) return head
      if (!fault.hint.includes('\n')) return `${head}; ${fault.hint}`
      return `${head}\n${fault.hint.replaceAll(/^/gm, '    ')}`
    })
    .join('\n')
}
