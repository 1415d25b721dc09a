import type { RelaySpec } from './relay.ts'
import type { ChildSpec, Size } from './types.ts'
import { isRecord, numberOf, textOf } from './wire.ts'

/** A spec as it came over the wire; null where something needed is missing. */
export function specOf(value: unknown): ChildSpec | null {
  if (!isRecord(value)) return null
  const { argv, output } = value
  const id = textOf(value['id'])
  const cwd = textOf(value['cwd'])
  if (!id || !cwd || !Array.isArray(argv)) return null
  const [program, ...args] = argv.map(textOf)
  if (!program) return null
  const ring = isRecord(output) && typeof output['ring'] === 'number' ? { ring: output['ring'] } : null
  return {
    id,
    argv: [program, ...args],
    cwd,
    env: texts(value['env']),
    label: texts(value['label']),
    output: ring ?? 'acknowledged',
    ...(isRecord(value['relay']) ? { relay: relayOf(value['relay']) } : {}),
    ...(isRecord(value['pty']) ? { pty: sizeOf(value['pty']) } : {}),
  }
}

export const sizeOf = (value: Readonly<Record<string, unknown>>): Size => ({
  cols: numberOf(value['cols']),
  rows: numberOf(value['rows']),
})

function relayOf({ socket, ports, gate, outside }: Readonly<Record<string, unknown>>): RelaySpec {
  return {
    socket: textOf(socket),
    ports: Array.isArray(ports) ? ports.map(numberOf) : [],
    gate: textOf(gate) || null,
    outside: isRecord(outside) ? { proxy: textOf(outside['proxy']) || null, direct: textOf(outside['direct']) } : null,
  }
}

function texts(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  )
}
