import { programName } from './program-name.ts'
import { shortId } from './ids.ts'

/** A warning for people who typed a secret as an argument. */
export const secretWarning = (terminal: string): string =>
  [
    'It asked for a secret. Command lines show in the process list and in the shell history.',
    `  Next time: ${programName()} terminals answer ${shortId(terminal)} --secret`,
  ].join('\n')
