import type { ChildSpec, PtySpec, RelaySpec } from './protocol/types.ts'
import { isRecord, numberOf, sizeOf, textOf } from './protocol/frames.ts'

/** Reads a spec from a frame; null if something required is missing. */
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
    ...(isRecord(value['pty']) ? { pty: terminalOf(value['pty']) } : {}),
    ...(typeof value['umask'] === 'number' ? { umask: value['umask'] & 0o777 } : {}),
  }
}

/** As `stty -g` prints them: hexadecimal on Linux, named on macOS. */
export const isSavedModes = (text: string): boolean => /^[\w:=]{1,1000}$/.test(text)

function terminalOf(value: Readonly<Record<string, unknown>>): PtySpec {
  const [like, modes] = [textOf(value['like']), textOf(value['modes'])]
  return { ...sizeOf(value), ...(like !== '' && { like }), ...(isSavedModes(modes) && { modes }) }
}

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
