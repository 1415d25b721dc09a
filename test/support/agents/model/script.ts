import { newId, wordsOf, type Call, type Talk } from './talk.ts'
import { argumentsFor, toolFor, type File, type Wish } from './tools.ts'

/**
 * What the model does at one request. A step with a tool hands the turn to the agent, and the next request takes the next
 * step; a step without one ends the turn.
 */
export type Step = {
  say?: string
  think?: string
  /** Time between two words. */
  pauseMs?: number
  /** After this many words it waits until the test opens the gate with this name. */
  gate?: { name: string; after: number }
  error?: { status: number; message: string }
  write?: File
  edit?: File
  read?: File
  shell?: { command: string }
  todo?: string[]
  call?: { name: string; args: unknown }
  /** Several tools in one answer. */
  parallel?: Step[]
}

export type Planned = { step: Step; words: string[]; calls: Call[] }

const mark = 'FAKE:'

/** The prompt that makes the model do this, step by step. */
export const scriptOf = (...steps: Step[]): string => `${mark}${JSON.stringify({ steps })}`

/** The last script in the conversation applies; the tool results since then show how far it is. */
export function planFor(talk: Talk): Planned {
  // Titles and summaries are requested without tools; they must not use up a step.
  if (talk.tools.length === 0) return plainly('Scripted title')
  const found = scriptIn(talk)
  if (!found) return plainly('This is the scripted model. The prompt held no script.')
  let { done } = found
  for (const step of found.steps) {
    const wishes = (step.parallel ?? [step]).flatMap(wishesOf)
    if (wishes.length > 0 && done >= wishes.length) {
      done -= wishes.length
      continue
    }
    const offered = wishes.map((wish) => ({ wish, tool: toolFor(wish, talk.tools) }))
    const missing = offered.find(({ tool }) => !tool)
    if (missing) {
      const names = talk.tools.map(({ name }) => name).join(', ')
      return plainly(`The scripted model was offered no tool for ${JSON.stringify(missing.wish)}, only: ${names}`)
    }
    const calls = offered.flatMap(({ wish, tool }) =>
      tool ? [{ id: newId('call_'), tool, args: argumentsFor(wish, tool) }] : [],
    )
    return { step, words: wordsOf(step.say ?? ''), calls }
  }
  return plainly('The script is at its end.')
}

const plainly = (say: string): Planned => ({ step: { say }, words: wordsOf(say), calls: [] })

function wishesOf(step: Step): Wish[] {
  const wishes: Wish[] = []
  for (const op of ['write', 'edit', 'read'] as const) {
    const file = step[op]
    if (file) wishes.push({ op, file })
  }
  if (step.shell) wishes.push({ op: 'shell', command: step.shell.command })
  if (step.todo) wishes.push({ op: 'todo', texts: step.todo })
  if (step.call) wishes.push({ op: 'call', ...step.call })
  return wishes
}

function scriptIn({ items }: Talk): { steps: Step[]; done: number } | undefined {
  for (const [index, item] of [...items.entries()].toReversed()) {
    if (item.kind !== 'text' || item.role !== 'user') continue
    const at = item.text.lastIndexOf(`${mark}{`)
    const script = at < 0 ? undefined : objectAt(item.text, at + mark.length)
    if (!script) continue
    return { steps: script.steps, done: items.slice(index).filter(({ kind }) => kind === 'outcome').length }
  }
  return undefined
}

/** Agents append their own text to the prompt, so the script ends where its braces close. */
function objectAt(text: string, start: number): { steps: Step[] } | undefined {
  for (let end = text.indexOf('}', start); end >= 0; end = text.indexOf('}', end + 1)) {
    try {
      return JSON.parse(text.slice(start, end + 1))
    } catch {
      // Not the brace that closes it.
    }
  }
  return undefined
}
