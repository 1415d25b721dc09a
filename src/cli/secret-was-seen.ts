import { called } from './called.ts'
import { shortId } from './ids.ts'

/** For who gave a secret as a word: it works, and is less safe than it need be. */
export const secretWasSeen = (terminal: string): string =>
  [
    'It asked for a secret. Command lines show in the process list and in the shell history.',
    `  Next time: ${called()} terminals answer ${shortId(terminal)} --secret`,
  ].join('\n')
