import { called } from './called.ts'
import { shortId } from './ids.ts'

/** For who gave a secret as a word: it works, and is less safe than it need be. */
export const secretWasSeen = (terminal: string): string =>
  [
    'It asked for a secret, and what stands on a command line shows in the list of processes and in the history.',
    `  Next time: ${called()} terminals answer ${shortId(terminal)} --secret`,
  ].join('\n')
