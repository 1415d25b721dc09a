import type { Client } from '../../client/client.ts'
import type { MessageRole } from '../../domain/message/schema.ts'
import type { SessionId } from '../../domain/session/schema.ts'
import { hasEnded } from '../../domain/session/status.ts'
import type { HookOutput } from './decision.ts'
import type { EndEvent, NotificationEvent, PromptEvent, StopEvent } from './event.ts'
import { noLonger } from './permission.ts'
import { codeOf, newestOf, sessionOf, inSession } from './session.ts'

type Env = NodeJS.ProcessEnv

/** Records Claude Code's notifications. Permission prompts are asks already. */
export async function notify(event: NotificationEvent, client: Client, env: Env): Promise<HookOutput> {
  return inSession(client, sessionOf(event, env), async (id) => {
    if (event.notification_type === 'permission_prompt' && (await hasOpenAsk(client, id))) return null
    const text = event.title === undefined ? event.message : `${event.title}: ${event.message}`
    await say(client, id, 'system', text)
    return null
  })
}

/** A prompt entered at the terminal; starts the session if there is none. */
export async function promptSaid(event: PromptEvent, client: Client, env: Env): Promise<HookOutput> {
  const { prompt } = event
  if (prompt.trim() === '') return null
  const shown = prompt.slice(0, longestPrompt)
  await inSession(client, { ...sessionOf(event, env), prompt: shown }, async (id) => {
    await say(client, id, 'user', prompt)
    // The turn begins.
    await client.heartbeat({ params: { id }, body: {} })
  })
  return null
}

/** The turn ended: stores its last message, and sends queued prompts as the next turn. */
export async function turnEnded(event: StopEvent, client: Client, env: Env): Promise<HookOutput> {
  const words = event.last_assistant_message?.trim() ?? ''
  const said = await inSession(client, sessionOf(event, env), async (id) => {
    if (event.background_tasks.length === 0) await withdrawLeft(client, id)
    if (words !== '') await say(client, id, 'agent', words)
    const { items } = await client.takeQueued({ params: { id }, body: {} })
    return items.map(({ text }) => text)
  })
  if (said.length === 0) return null
  return { decision: 'block', reason: `Your operator says through Signalbox:\n\n${said.join('\n\n')}` }
}

/** Does not start a session just to end it. */
export async function sessionEnded(event: EndEvent, client: Client, env: Env): Promise<HookOutput> {
  try {
    const { id, status } = await newestOf(client, sessionOf(event, env).id)
    const reason = `Claude Code ended (${event.reason ?? 'other'}).`
    if (!hasEnded(status)) await client.completeSession({ params: { id }, body: { reason } })
  } catch (error) {
    if (codeOf(error) !== 'session_not_found') throw error
  }
  return null
}

const longestPrompt = 1_000_000
const longestText = 4_000_000

async function say(client: Client, id: SessionId, role: MessageRole, text: string): Promise<void> {
  const body = { role, content: { type: 'text' as const, text: text.slice(0, longestText) } }
  try {
    await client.addMessage({ params: { id }, body })
  } catch (error) {
    // An agent's token can't write user messages, so it becomes a system message.
    if (role !== 'user' || codeOf(error) !== 'agents_may_not') throw error
    await client.addMessage({ params: { id }, body: { ...body, role: 'system' } })
  }
}

/** After a turn, asks left open by a hook were decided at the terminal. */
async function withdrawLeft(client: Client, sessionId: SessionId): Promise<void> {
  const { asks } = await client.listAsks({ query: { status: 'open', sessionId, limit: 100 } })
  for (const { id, origin } of asks)
    if (origin === 'api') await client.cancelAsk({ params: { id }, body: { reason: noLonger } }).catch(() => null)
}

async function hasOpenAsk(client: Client, sessionId: SessionId): Promise<boolean> {
  const { asks } = await client.listAsks({ query: { status: 'open', sessionId, limit: 1 } })
  return asks.length > 0
}
