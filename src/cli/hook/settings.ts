import * as z from 'zod'

/** The part of Claude Code's settings that we change; the rest is kept. */
const Hook = z.looseObject({ type: z.string(), command: z.string().optional() })
const HookGroup = z.looseObject({ matcher: z.string().optional(), hooks: z.array(Hook) })
export const ClaudeSettings = z.looseObject({ hooks: z.record(z.string(), z.array(HookGroup)).optional() })
export type ClaudeSettings = z.infer<typeof ClaudeSettings>
type HookGroup = z.infer<typeof HookGroup>

export type HookOptions = {
  /** The command that starts Signalbox, with flags for the server. */
  readonly program: string
  readonly every: boolean
  readonly strict: boolean
}

/** People may take long to answer; by default Claude Code continues after ten minutes. */
const aDay = 86_400

function groupsOf({ program, every, strict }: HookOptions): Readonly<Record<string, HookGroup>> {
  const call = (words: string, timeout: number) => [{ type: 'command', command: `${program} hook ${words}`, timeout }]
  const permission = call(strict ? 'permission --strict' : 'permission', aDay)
  return {
    // Also needed with PreToolUse: Claude Code still sends its own requests.
    ...(every && { PreToolUse: { matcher: '*', hooks: permission } }),
    PermissionRequest: { matcher: '*', hooks: permission },
    Notification: { hooks: call('notification', 30) },
    UserPromptSubmit: { hooks: call('prompt', 30) },
    Stop: { hooks: call('stop', 30) },
    SessionEnd: { hooks: call('end', 10) },
  }
}

/** Adds our hooks, and replaces those we wrote before. */
export function withHooks(settings: ClaudeSettings, wanted: HookOptions): ClaudeSettings {
  const hooks: Record<string, HookGroup[]> = { ...withoutHooks(settings).hooks }
  for (const [event, group] of Object.entries(groupsOf(wanted))) hooks[event] = [...(hooks[event] ?? []), group]
  return { ...settings, hooks }
}

export function withoutHooks(settings: ClaudeSettings): ClaudeSettings {
  const { hooks, ...rest } = settings
  if (hooks === undefined) return settings
  const kept = Object.entries(hooks).flatMap(([event, groups]) => {
    const others = groups.flatMap(othersOf)
    return others.length > 0 || groups.length === 0 ? [[event, others]] : []
  })
  return kept.length > 0 ? { ...rest, hooks: Object.fromEntries(kept) } : rest
}

function othersOf(group: HookGroup): HookGroup[] {
  const hooks = group.hooks.filter(({ command = '' }) => !isOurs(command))
  if (hooks.length === group.hooks.length) return [group]
  return hooks.length > 0 ? [{ ...group, hooks }] : []
}

const isOurs = (command: string): boolean =>
  /(signalbox(\.js)?|bin\.ts)["']?( .*)? hook (permission|notification|prompt|stop|end)\b/.test(command)
