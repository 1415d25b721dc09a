import { methods } from '@agentclientprotocol/sdk/unstable'
import { leaveChild } from '../child-process.ts'
import { numberOr, type PracticeCommands } from '../command.ts'
import { errorText, openTool, textContent } from '../tool-call.ts'
import { mayDo } from '../permission.ts'
import { runCommand } from '../run-command.ts'
import type { PracticeTurn } from '../turn.ts'

const mostOutput = 64 * 1024

export const work: PracticeCommands = {
  run: {
    description: 'Runs a command, after asking',
    hint: 'COMMAND',
    async run(turn, command) {
      await turn.say(`run ${command}: ${await runCommand(turn, command)}`)
    },
  },
  term: {
    description: 'Runs a command in a terminal of the client',
    hint: 'COMMAND',
    async run(turn, command) {
      if (!turn.can.terminal) return turn.say('term: your client offers no terminals.')
      await turn.say(`term ${command}: ${await inTerminal(turn, command)}`)
    },
  },
  leave: {
    description: 'Starts a background process that leaves the process group, after asking',
    hint: 'COMMAND',
    async run(turn, command) {
      const tool = await openTool(turn, {
        title: `Leave ${command} running`,
        kind: 'execute',
        rawInput: { command, cwd: turn.session.cwd, background: true },
      })
      if (!(await mayDo(turn, tool))) return turn.say(`leave ${command}: not allowed`)
      const pid = leaveChild(command, turn.session.cwd)
      await tool.update({ status: pid === undefined ? 'failed' : 'completed' })
      await turn.say(`leave ${command}: pid ${pid}`)
    },
  },
  repeat: {
    description: 'Makes the same tool call several times',
    hint: 'N',
    async run(turn, argument) {
      for (let n = numberOr(argument, 3); n > 0; n -= 1) {
        const tool = await openTool(turn, {
          title: 'Read the same file again',
          kind: 'read',
          rawInput: { path: 'README.md' },
        })
        await tool.update({ status: 'completed', content: [textContent('Nothing new.')] })
      }
    },
  },
}

async function inTerminal(turn: PracticeTurn, command: string): Promise<string> {
  turn.signal.throwIfAborted()
  const sessionId = turn.session.id
  const { create, waitForExit, output, release } = methods.client.terminal
  const end = (terminalId: string) => void turn.client.request(release, { sessionId, terminalId }).catch(() => {})
  const asked = turn.client.request(
    create,
    { sessionId, ...programOf(command), cwd: turn.session.cwd, outputByteLimit: mostOutput },
    { cancellationSignal: turn.signal },
  )
  const terminal = await Promise.race([asked, whenAborted(turn.signal)]).catch((error: unknown) => {
    // Nobody waits for it any more, but if it was just started it has to be ended.
    if (turn.signal.aborted) asked.then(({ terminalId }) => end(terminalId)).catch(() => {})
    turn.signal.throwIfAborted()
    return `refused: ${errorText(error)}`
  })
  if (typeof terminal === 'string') return terminal
  const { terminalId } = terminal
  try {
    turn.signal.throwIfAborted()
    const tool = await openTool(turn, {
      title: `Run ${command}`,
      kind: 'execute',
      status: 'in_progress',
      content: [{ type: 'terminal', terminalId }],
    })
    const exit = await turn.client.request(waitForExit, { sessionId, terminalId }, turn.withdrawable)
    const printed = await turn.client.request(output, { sessionId, terminalId }, turn.withdrawable)
    await tool.update({ status: exit.exitCode === 0 ? 'completed' : 'failed' })
    const ending = exit.signal ?? `code ${exit.exitCode ?? 'unknown'}`
    return `ended with ${ending}${printed.truncated ? ' (output cut)' : ''}\n${printed.output}`
  } finally {
    // Also ends the command if the turn was cancelled.
    end(terminalId)
  }
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('cancelled')), { once: true })
  })

/** Splits a plain command into words; anything else runs in a shell. */
function programOf(command: string): { command: string; args: string[] } {
  if (!/^[\w\s./:=,@%+-]+$/.test(command)) return { command: 'sh', args: ['-c', command] }
  const [program = '', ...args] = command.trim().split(/\s+/)
  return { command: program, args }
}
