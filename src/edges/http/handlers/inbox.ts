import type { AskEntry } from '../../../app/inbox/inbox.ts'
import type { Terminals } from '../../../app/terminals.ts'
import { api } from '../../../client/contract.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import { ok } from '../../../lib/result.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'

/** Only the most urgent items get a screen: each one is a request to a terminal. */
const mostScreens = 24
const linesShown = 12
const linesAfter = 3

type Screens = Pick<Terminals, 'screen'>

export function mountInbox(
  web: Web,
  deps: RouteDeps,
  { clock, terminals }: { clock: Clock; terminals: Screens },
): void {
  const { app } = deps

  mount(web, deps, api.inbox, async (_input, { caller }) => {
    const inbox = await app.read.inbox(caller.standing, clock.now())
    if (!inbox.ok) return inbox
    const { items, total } = inbox.value
    const prompts = items.filter((item) => item.kind === 'ask' && item.ask.subject.kind === 'terminal_prompt')
    const screens = new Map(
      await Promise.all(
        prompts.slice(0, mostScreens).map(async (item) => {
          const screen = item.kind === 'ask' ? await screenOf(terminals, item, caller.actor) : null
          return [item.key, screen] as const
        }),
      ),
    )
    const shown = items.map((item) =>
      item.kind === 'ask' ? Object.assign(item, { screen: screens.get(item.key) ?? null }) : item,
    )
    return ok({ items: shown, total })
  })

  mount(web, deps, api.listNames, async (_input, { caller }) => {
    const people = await app.read.names(caller.standing)
    return people.ok ? ok({ people: people.value }) : people
  })
}

/** Null if there is none: on another node, ended, or not visible to this person. */
async function screenOf(terminals: Screens, { ask }: AskEntry, actor: Actor): Promise<string | null> {
  if (ask.sessionId === null || ask.subject.kind !== 'terminal_prompt') return null
  const found = await terminals.screen(ask.sessionId, 'text', actor).catch(() => null)
  return found?.ok ? promptLines(found.value.screen, ask.subject.promptText) : null
}

/** The lines before the prompt, and a few after it, which may hold its choices. */
export function promptLines(screen: string, promptText: string): string {
  const lines = screen.trimEnd().split('\n')
  const last = promptText.trim().split('\n').at(-1)?.trim() ?? ''
  const at = last === '' ? -1 : lines.findLastIndex((line) => line.includes(last))
  const end = at === -1 ? lines.length : Math.min(lines.length, at + 1 + linesAfter)
  return lines.slice(Math.max(0, end - linesShown), end).join('\n')
}
