import type { Detection, TerminalView } from '../../client/contract/terminals.ts'
import type { Cell } from '../columns.ts'
import { cleanLine, exactLine } from '../clean-text.ts'

/** What runs there, in a few words. */
export function whatOf({ name, sessionType, user, host, command, logFile }: TerminalView): string {
  const place = host === null ? null : [user, host].filter((part) => part !== null).join('@')
  const line = command?.join(' ') ?? ''
  const words = { ssh: `ssh ${place ?? line}`, script: line, file: logFile }[sessionType]
  return cleanLine(name === null ? words : `${name}: ${words}`)
}

/** Its state: `waiting`, `working`, `exited 0`, `not watched`. */
export function stateOf({ state, detection, exitCode, exitSignal }: TerminalView): Cell {
  if (exitSignal !== null) return `ended by ${exitSignal}`
  if (exitCode !== null) return exitCode === 0 ? 'exited 0' : { text: `exited ${exitCode}`, colour: 'red' }
  if (state === 'stopped') return 'not watched'
  if (detection === null) return 'working'
  if (detection.state === 'exited') return 'exited'
  if (detection.state === 'working') return 'working'
  return detection.isDangerous ? { text: 'waiting (dangerous)', colour: 'red' } : { text: 'waiting', colour: 'yellow' }
}

/** Its prompt, or nothing. Exact: a person must see what they answer. */
export const promptOf = (detection: Detection | null): string =>
  detection?.waiting ? exactLine(detection.promptText) : ''

/** `0.97` */
export const sureness = (confidence: number): string => confidence.toFixed(2)

/** `waiting: Continue? [Y/n] (yes_no, 0.97)` */
export function stateLine(view: TerminalView): string {
  const { detection } = view
  if (view.state === 'active' && detection?.waiting) {
    const danger = detection.isDangerous ? `, dangerous: ${exactLine(detection.dangerReason ?? 'reason unknown')}` : ''
    return `waiting: ${promptOf(detection)} (${detection.promptType}, ${sureness(detection.confidence)}${danger})`
  }
  const cell = stateOf(view)
  return typeof cell === 'string' ? cell : cell.text
}
