import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export type RpcMessage = {
  jsonrpc: string
  id?: string | number
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}
export type Frame = { ms: number; dir: 'c>a' | 'a>c'; msg: RpcMessage }
export type Recording = { agent: string; scenario: string; name: string; file: string; frames: Frame[] }

const folder = fileURLToPath(new URL('../fixtures/acp', import.meta.url))

export const recordedAgents = ['claude', 'codexzed', 'gemini', 'opencode'] as const

export function recordingOf(agent: string, scenario: string): Recording {
  const file = join(folder, agent, `${scenario}.jsonl`)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const frames = lines.map((line) => JSON.parse(line) as Frame | { dir: 'note' })
  return { agent, scenario, name: `${agent}/${scenario}`, file, frames: frames.filter((frame) => frame.dir !== 'note') }
}

export const recordings: readonly Recording[] = recordedAgents.flatMap((agent) =>
  readdirSync(join(folder, agent))
    .toSorted()
    .map((file) => recordingOf(agent, file.replace(/\.jsonl$/, ''))),
)

export const initializeAnswers: Record<string, unknown> = Object.fromEntries(
  Object.entries(
    JSON.parse(readFileSync(join(folder, 'initialize.json'), 'utf8')) as Record<string, { initialize: unknown }>,
  ).map(([agent, { initialize }]) => [agent, initialize]),
)
