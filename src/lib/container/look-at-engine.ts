import { findProgram } from '../absolute-program.ts'
import { findEngine } from './find-engine.ts'

type FoundEngine = { name: string; status: 'ok' | 'warn'; detail: string; hint: string | null }

/** Whether agents can run in containers on this machine. Starts nothing. */
export async function lookAtEngine(input: {
  readonly configured: string | null
  readonly env: NodeJS.ProcessEnv
}): Promise<FoundEngine> {
  const name = 'container engine'
  const found = await findEngine({ ...input, ownSocket: null })
  if (found.ok) {
    const { kind, socket } = found.value
    found.value.close()
    return { name, status: 'ok', detail: `${kind} at ${socket}`, hint: null }
  }
  const podman = input.configured === null ? await findProgram('podman', input.env['PATH'] ?? '') : null
  if (podman !== null) return { name, status: 'ok', detail: `${podman}, started when it is needed`, hint: null }
  return { name, status: 'warn', detail: found.fault.message, hint: found.fault.hint ?? null }
}
