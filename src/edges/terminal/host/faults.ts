import type { Terminal } from '../../../domain/terminal/schema.ts'
import type { Fault } from '../../../lib/result.ts'
import type { ReachedTerminal } from './access.ts'

export const noKeyboard: Fault = {
  kind: 'conflict',
  code: 'no_keyboard',
  message: "This is a read-only log: you can't type into it.",
  hint: 'Answer in the program that writes the log.',
}

export const noKeeper: Fault = {
  kind: 'unavailable',
  code: 'keeper_gone',
  message: 'The keeper of this terminal does not answer.',
}

export const notYet: Fault = {
  kind: 'unavailable',
  code: 'terminals_unavailable',
  message: 'The server is still reconnecting to this terminal.',
  hint: 'Try again in a moment.',
}

export const elsewhere = ({ row }: ReachedTerminal): Fault => ({
  kind: 'unavailable',
  code: 'other_node',
  message: `This terminal belongs to the node ${row.node_id}.`,
  hint: 'Send the request to that node.',
})

export const notLive = ({ state, status }: Terminal): Fault => ({
  kind: 'conflict',
  code: 'terminal_stopped',
  message: `The terminal is ${state} (its session is ${status}).`,
  hint: 'Its recording is kept.',
})

export const unwatched: Fault = {
  kind: 'conflict',
  code: 'terminal_stopped',
  message: 'This terminal is no longer watched, so its state is unknown.',
  hint: 'Its recording is kept. Its program may still be running: signalbox attach',
}
