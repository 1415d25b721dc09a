import type { OperationalMode } from '../session/schema.ts'
import { isQuiet } from './quiet-hours.ts'
import type { MessageType } from '../outbox/records.ts'
import type { NotificationSettings } from './schema.ts'

/** R14: the mode decides where an ask is announced; the inbox and the command line always show it. */
export const announcesByPush = (mode: OperationalMode): boolean => mode !== 'local'

export type Loudness = 'loud' | 'silent' | 'none'

/** Whether a notification makes a sound, is shown silently, or is not sent. `grave`: critical or dangerous. */
export function loudnessOf(
  { type, grave }: { type: MessageType; grave: boolean },
  { needsYou, done, quietHours }: NotificationSettings,
  now: number,
): Loudness {
  switch (type) {
    case 'needs_you':
      if (!needsYou) return 'none'
      return isQuiet(quietHours, now) && !grave ? 'silent' : 'loud'
    case 'done':
      return done && !isQuiet(quietHours, now) ? 'silent' : 'none'
    case 'gone':
      return 'silent'
    default:
      return type satisfies never
  }
}
