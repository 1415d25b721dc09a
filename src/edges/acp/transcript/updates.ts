import type { Json } from '../../../lib/json.ts'
import { soundsRateLimited } from '../../../domain/agent/diagnose.ts'
import type { Recorder } from './recorder.ts'
import type { ToolCallPart } from './tool-call.ts'
import type { Transcript } from './transcript.ts'

export type UpdateContext = {
  transcript: Transcript
  recorder: Recorder
  /** An old conversation is being replayed: it is in our messages already. */
  /** `shown`: a conversation of the agent's own, which becomes messages. */
  replaying: boolean | 'shown'
  usageReported(): void
  toolFinished(toolCallId: string): void
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Applies one `session/update`. These bypass the SDK's dispatcher, where an answer can overtake earlier updates and an
 * update has no offset. Unknown updates are skipped, never refused.
 */
export function applyUpdate(update: Fields, offset: number, at: string, context: UpdateContext): boolean {
  const { transcript, recorder } = context
  const replaying = context.replaying === true
  switch (update['sessionUpdate']) {
    case 'agent_message_chunk':
    case 'agent_thought_chunk': {
      if (replaying) return true
      const words = textOf(update['content'])
      const mode = /^\[MODE_UPDATE\] (\S+)$/.exec(words)?.[1]
      if (mode !== undefined && offersMode(recorder, mode)) {
        setMode(recorder, mode)
        return true
      }
      const kind = update['sessionUpdate'] === 'agent_message_chunk' ? 'text' : 'thought'
      const { messageId } = update
      if (words !== '') transcript.text(kind, words, typeof messageId === 'string' ? messageId : null, offset, at)
      if (kind === 'text' && words.length < 2000 && /^API Error|^Error:/i.test(words) && soundsRateLimited(words))
        recorder.notes.failure = { message: words.slice(0, 300), rateLimited: true, at }
      return true
    }
    case 'user_message_chunk': {
      const { messageId } = update
      const words = textOf(update['content'])
      if (context.replaying === 'shown' && words !== '')
        transcript.text('said', words, typeof messageId === 'string' ? messageId : null, offset, at)
      return true
    }
    case 'tool_call':
    case 'tool_call_update': {
      if (replaying || typeof update['toolCallId'] !== 'string') return true
      const tool = transcript.tool(update as unknown as ToolCallPart, offset, at)
      recorder.usedTool(tool.title ?? tool.tool)
      if (tool.status === 'completed' || tool.status === 'failed') context.toolFinished(update['toolCallId'])
      return true
    }
    case 'plan':
      if (!replaying && Array.isArray(update['entries'])) transcript.plan(update['entries'], offset, at)
      return true
    case 'available_commands_update':
      recorder.setAbout({ commands: (update['availableCommands'] ?? []) as Json })
      return true
    case 'current_mode_update':
      if (typeof update['currentModeId'] === 'string') setMode(recorder, update['currentModeId'])
      return true
    case 'config_option_update':
      recorder.setAbout({ configOptions: (update['configOptions'] ?? []) as Json })
      return true
    case 'session_info_update':
      if (typeof update['title'] === 'string') recorder.setAbout({ title: update['title'].slice(0, 500) })
      return true
    case 'usage_update':
      noteUsage(recorder, update)
      context.usageReported()
      return true
    case 'notice': {
      const words = textOf(update['content']) || (typeof update['message'] === 'string' ? update['message'] : '')
      if (!replaying && words !== '') transcript.note(words, offset, at)
      return true
    }
    default:
      return false
  }
}

/** Some agents announce a mode in a text. It counts only if they offer that mode. */
function offersMode(recorder: Recorder, mode: string): boolean {
  const { availableModes } = (recorder.about.modes ?? {}) as { availableModes?: readonly { id?: unknown }[] }
  return availableModes?.some(({ id }) => id === mode) ?? false
}

function setMode(recorder: Recorder, currentModeId: string): void {
  const { modes } = recorder.about
  recorder.setAbout({ modes: { ...(modes as object | null), currentModeId } })
}

/** A report without a cost keeps the earlier one. */
function noteUsage(recorder: Recorder, update: Fields): void {
  const cost = update['cost'] as { amount?: unknown; currency?: unknown } | null | undefined
  const number = (value: unknown): number | null => (typeof value === 'number' && value >= 0 ? value : null)
  const usd = cost && (cost.currency === undefined || cost.currency === 'USD') ? number(cost.amount) : null
  const before = recorder.notes.usage
  recorder.notes.usage = {
    used: number(update['used']) ?? before?.used ?? null,
    size: number(update['size']) ?? before?.size ?? null,
    costUsd: usd ?? before?.costUsd ?? null,
  }
}

/** Text as it is; other content as a placeholder. */
function textOf(content: unknown): string {
  const { type, text, uri, name, mimeType } = (content ?? {}) as Record<string, unknown>
  if (typeof text === 'string') return text
  if (type === 'resource_link') return `[${String(name ?? uri)}](${String(uri)})`
  return typeof type === 'string' ? `[${type}${typeof mimeType === 'string' ? ` ${mimeType}` : ''}]` : ''
}
