import type { Client } from '../client/client.ts'
import { wrongUsage } from './failure.ts'
import { didYouMean } from './suggest.ts'

type Wanted = { agent: string | undefined; prompt: string | undefined }

/** `[AGENT] [PROMPT…]`: the first word is an agent where one is called so, else it belongs to the prompt. */
export async function readStartWords(client: Client, words: readonly string[]): Promise<Wanted> {
  const [first, ...rest] = words
  if (first === undefined) return { agent: undefined, prompt: undefined }
  const whole = words.join(' ')
  // A sentence in quotes is no name.
  if (/\s/.test(first.trim())) return { agent: undefined, prompt: whole }
  const { agents } = await client.listAgents({})
  const names = agents.map(({ name }) => name)
  if (names.includes(first)) return { agent: first, prompt: rest.length === 0 ? undefined : rest.join(' ') }
  const meant = didYouMean(first, names)
  if (meant !== undefined)
    throw wrongUsage(
      `There is no agent "${first}".`,
      `${meant} If it begins your prompt, put the prompt in quotes. All agents: signalbox agents`,
    )
  return { agent: undefined, prompt: whole }
}
