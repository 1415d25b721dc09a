import * as z from 'zod'
import { SessionMode } from '../../domain/chat/id.ts'
import { EngageMode, IgnoredMessagePolicy, SenderScope, type WiringSettings } from '../../domain/chat/schema.ts'
import { linearRegex } from '../../lib/linear-regex.ts'
import { parseJson } from '../../lib/parse-json.ts'
import type { SeedRow } from './rows.ts'

type SeedWiring = SeedRow<'messaging_group_agents'>
type Engage = Pick<WiringSettings, 'engageMode' | 'engagePattern'>

const Rules = z.union([
  z.string().transform((pattern) => ({ pattern, requiresTrigger: undefined })),
  z.object({ pattern: z.string().nullish(), requiresTrigger: z.boolean().nullish() }),
])

const mostPattern = 1000
const mention: Engage = { engageMode: 'mention', engagePattern: null }

/** The settings of a wiring, and what could not be kept. */
export function settingsOf(wiring: SeedWiring): { settings: WiringSettings; changed: string | null } {
  const { engage, changed } = engageOf(wiring)
  const priority = Math.trunc(wiring.priority ?? 0)
  return {
    settings: {
      ...engage,
      sessionMode: oneOf(SessionMode, wiring.session_mode, 'shared'),
      priority: Math.max(-1000, Math.min(1000, priority)),
      senderScope: oneOf(SenderScope, wiring.sender_scope, wiring.response_scope === 'allowlisted' ? 'known' : 'all'),
      ignoredMessagePolicy: oneOf(IgnoredMessagePolicy, wiring.ignored_message_policy, 'drop'),
      verbosity: 'quiet',
    },
    changed,
  }
}

function engageOf(wiring: SeedWiring): { engage: Engage; changed: string | null } {
  const mode = EngageMode.safeParse(wiring.engage_mode)
  if (mode.success)
    return mode.data === 'pattern'
      ? usable(wiring.engage_pattern ?? '.')
      : { engage: { engageMode: mode.data, engagePattern: null }, changed: null }
  const rules = parseJson(wiring.trigger_rules ?? '{}', Rules)
  if (!rules.ok) return { engage: mention, changed: `its trigger_rules can't be read; it waits for a mention instead` }
  const { pattern, requiresTrigger } = rules.value
  if (pattern) return usable(pattern)
  // Only an explicit wish for a trigger, or a narrower scope, makes it wait to be addressed.
  const answersAll =
    requiresTrigger === false || (requiresTrigger !== true && (wiring.response_scope ?? 'all') === 'all')
  return answersAll ? usable('.') : { engage: mention, changed: null }
}

/** A pattern that we can't run would never engage: then a mention does. */
function usable(pattern: string): { engage: Engage; changed: string | null } {
  if (pattern.length <= mostPattern && linearRegex(pattern) !== null)
    return { engage: { engageMode: 'pattern', engagePattern: pattern }, changed: null }
  const shown = pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern
  return { engage: mention, changed: `the pattern ${shown} can't be used; it waits for a mention instead` }
}

function oneOf<T extends string>(schema: z.ZodType<T>, value: string | null, otherwise: T): T {
  const read = schema.safeParse(value)
  return read.success ? read.data : otherwise
}
