import type { Context } from './context.ts'
import { exit, Failure } from './failure.ts'

/** Asks at the keyboard. Without one, `--yes` has to say so. */
export async function confirmed(context: Context, question: string, how: string): Promise<void> {
  const asked = await context.keyboard?.ask(`${question} (y/n) `, { signal: context.interrupted(), fresh: true })
  if (/^y(es)?$/i.test(asked?.line?.trim() ?? '')) return
  throw new Failure({
    exit: asked ? exit.failed : exit.usage,
    code: 'not_confirmed',
    message: 'Nothing was changed.',
    hint: asked ? undefined : `No terminal to ask on. To confirm: ${how}`,
  })
}
