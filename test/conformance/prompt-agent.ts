import { fileURLToPath } from 'node:url'
import { read } from './agents-harness.ts'

const program = fileURLToPath(new URL('prompt-agent.mjs', import.meta.url))

/** The agent of prompt-agent.mjs, for the configuration. */
export const promptAgent = (name: string, log: string, takes: object): string =>
  `[agents.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([program, log, JSON.stringify(takes)])}\nisolation = "none"\n`

export type Block = {
  type: string
  text?: string
  mimeType?: string
  data?: string
  uri?: string
  name?: string
  resource?: { uri: string; mimeType: string; text: string }
}
type Heard = {
  id?: string
  method?: string
  params?: { sessionId?: string; prompt?: Block[] } & Record<string, unknown>
}

/** What the agent heard, in order. */
export async function heardBy(log: string): Promise<Heard[]> {
  const lines = ((await read(log)) ?? '').split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Heard)
}

/** The prompts it got. */
export const promptsTo = async (log: string): Promise<Block[][]> =>
  (await heardBy(log)).flatMap(({ method, params }) => (method === 'session/prompt' ? [params?.prompt ?? []] : []))

/** A PNG of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
