import type { Handler } from '../command.ts'
import { completionScript, type Shell } from '../completion.ts'
import { rootCommand } from '../table.ts'

export const completion: Handler = async ({ args }, { out }) => {
  const [shell = 'bash'] = args
  out.print(completionScript(shell as Shell, rootCommand))
}
