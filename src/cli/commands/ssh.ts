import type { Handler } from '../command.ts'
import type { sshFlags } from '../table/run.ts'
import { detachOptions } from '../terminal/detach-keys.ts'
import { destinationOf } from '../terminal/ssh-destination.ts'
import { startProgram } from '../terminal/start-program.ts'

/** Runs ssh unchanged in a terminal of the keeper. */
export const ssh: Handler<typeof sshFlags> = async ({ args, flags }, context) => {
  const to = destinationOf(args)
  return startProgram(
    context,
    { argv: ['ssh', ...args], type: 'ssh', name: flags.name, host: to?.host, user: to?.user },
    detachOptions(flags),
  )
}
