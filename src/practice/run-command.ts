import { runChild, type ChildResult } from './child-process.ts'
import type { WorkOutcome } from './edit-file.ts'
import { mayDo } from './permission.ts'
import { openTool, textContent } from './tool-call.ts'
import type { PracticeTurn } from './turn.ts'

/** Asks in every mode, then runs the command in a shell and shows its output. */
export async function runCommand(turn: PracticeTurn, command: string): Promise<WorkOutcome> {
  const tool = await openTool(turn, {
    title: `Run ${command}`,
    kind: 'execute',
    rawInput: { command, cwd: turn.session.cwd },
  })
  if (!(await mayDo(turn, tool))) return 'not allowed'
  await tool.update({ status: 'in_progress' })
  const ended = await runChild(['sh', '-c', command], turn.session.cwd, turn.signal)
  await tool.update({
    status: ended.exitCode === 0 ? 'completed' : 'failed',
    content: [textContent(describe(ended))],
    rawOutput: { exitCode: ended.exitCode, signal: ended.signal },
  })
  return ended.exitCode === 0 ? 'done' : 'failed'
}

function describe({ exitCode, signal, output }: ChildResult): string {
  const ending = exitCode === 0 ? '' : `[ended with ${signal ?? `code ${exitCode}`}]`
  return [output.trimEnd(), ending].filter(Boolean).join('\n') || '(no output)'
}
