import type { Client } from '../client/client.ts'
import { cleanLine } from './clean-text.ts'
import { wrongUsage } from './failure.ts'
import { didYouMean } from './suggest.ts'

type StartArguments = { agent: string | undefined; prompt: string | undefined }

/** `[AGENT] [PROMPT…]`: the first of several words is the agent; quoted words are a prompt. */
export async function readStartArguments(client: Client, words: readonly string[]): Promise<StartArguments> {
  const [first, ...rest] = words
  if (first === undefined) return { agent: undefined, prompt: undefined }
  const whole = words.join(' ')
  // A quoted sentence is not a name.
  if (/\s/.test(first.trim())) return { agent: undefined, prompt: whole }
  const { agents } = await client.listAgents({})
  const names = agents.map(({ name }) => name)
  if (names.includes(first)) return { agent: first, prompt: rest.length === 0 ? undefined : rest.join(' ') }
  const meant = didYouMean(first, names)
  // A single word may be a prompt, unless it looks like a misspelt name.
  if (meant !== undefined || (rest.length > 0 && /^\w[\w.-]*$/.test(first)))
    throw wrongUsage(
      `Agent ${cleanLine(first)} not found.`,
      [
        `${meant === undefined ? '' : `${meant} `}Agents: ${names.map(cleanLine).join(', ')}.`,
        'Put a prompt of several words in quotes. After changing config.toml, restart the server.',
      ].join('\n'),
    )
  return { agent: undefined, prompt: whole }
}
