import type { AlertCause, StallSettings } from './schema.ts'

/** `45 seconds`, `5 minutes`, `2 hours`. */
export function span(seconds: number): string {
  const [count, unit] =
    seconds < 120 && seconds % 60 !== 0
      ? [seconds, 'second']
      : seconds < 7200
        ? [Math.round(seconds / 60), 'minute']
        : [Math.round(seconds / 3600), 'hour']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

export function raisedText(
  cause: AlertCause,
  { idleSeconds, lastTool }: { idleSeconds: number; lastTool: string | null },
  rules: StallSettings,
): string {
  const what =
    cause === 'silent'
      ? `No activity from the agent for ${span(idleSeconds)}`
      : `The agent has sent only the same heartbeat for ${span(idleSeconds)}`
  const tool = lastTool === null ? '' : `; last tool: ${lastTool}`
  const next = rules.maxRetries > 0 ? 'It will be nudged' : 'Everyone will be notified'
  return `${what}${tool}. ${next} in ${span(rules.escalationMs / 1000)} unless it resumes.`
}

export const nudgedText = (nudge: number, text: string, by: 'clock' | 'person', retries: number): string =>
  by === 'clock' ? `Nudge ${nudge} of ${retries} to the agent: ${text}` : `Nudge to the agent by a person: ${text}`

export const escalatedText = (cause: AlertCause, nudges: number): string => {
  const tried = nudges === 0 ? '' : ` after ${nudges} ${nudges === 1 ? 'nudge' : 'nudges'}`
  const what = cause === 'silent' ? 'The agent still does not respond' : 'The agent still makes no progress'
  return `${what}${tried}. A person must act: nudge it with your own text, stop the session, or dismiss the alert.`
}

export const dismissedText = 'Alert dismissed. No new one is raised until the agent responds again.'

export const recoveredText = 'The agent is back; the alert is closed.'
