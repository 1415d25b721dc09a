import type { Handler } from '../command.ts'
import { completionScript, type Shell } from '../completion/scripts.ts'

export const completion: Handler = async ({ args }, { out }) => {
  // The parser accepts only the shells of the table.
  const [shell = 'bash'] = args
  out.print(completionScript(shell as Shell))
}
