import type { TerminalContext } from '../context.ts'
import { attachToChild, keeperGone, placeToContinue, sayDetached } from './attach-to-child.ts'
import { readDetachKeys, usualDetachKeys } from './detach-keys.ts'
import { ownTerminal } from './own-terminal.ts'
import { messageOfAnswer, sayNotWatched } from './register-terminal.ts'
import { createScreenModes } from './screen-modes.ts'

/** Only `run-at-once.pl` calls it. */
export const afterRunCommand = '__after-run'

/**
 * What `run-at-once.pl` leaves to us, when there is more to a program that it started than output and an end: a person
 * detached, the keeper let go of us, or the server refused to watch.
 */
export async function afterRun(context: TerminalContext, words: readonly string[]): Promise<number> {
  const [session = '', shown = '', sequences = '', what, about = '', answer = ''] = words
  const modes = createScreenModes()
  modes.seen(Buffer.from(sequences, 'hex'))
  const putBack = () => ownTerminal().writeNow(modes.undo())
  const joined = { context, childId: session, session, visits: false, modes }
  if (what === 'refused') {
    sayNotWatched(context, messageOfAnswer(Buffer.from(answer, 'hex').toString()))
    return Number(about)
  }
  if (what === 'detached') {
    putBack()
    return sayDetached(joined, about === 'SIGHUP' || about === 'SIGTERM' ? about : 'keys')
  }
  const place = await placeToContinue(joined, Number(shown))
  if (place) return attachToChild({ ...joined, ...place, detachKeys: readDetachKeys(usualDetachKeys) })
  putBack()
  throw keeperGone()
}
