import type { Exit } from '../../../keeper-client/client.ts'

/** PostgreSQL keeps no NUL in text; agents print what they like. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD')

/** Ends of a turn that a person should hear of. */
export const stopText = (reason: string | undefined): string | null => {
  switch (reason) {
    case 'max_tokens':
      return 'The agent stopped: its answer reached the token limit.'
    case 'max_turn_requests':
      return 'The agent stopped: it reached the limit of model requests per turn.'
    case 'refusal':
      return 'The agent refuses to continue.'
    default:
      return null
  }
}

export const exitText = ({ code, signal }: Exit, stderr: string): string =>
  `the agent ended ${signal === null ? `with code ${code ?? 'unknown'}` : `by ${signal}`}.${stderrTail(stderr)}`

export const stderrTail = (stderr: string): string => {
  const lines = stderr.trimEnd().split('\n').slice(-10).join('\n').slice(-1500)
  return lines.trim() === '' ? '' : `\nIts last words:\n${lines}`
}
