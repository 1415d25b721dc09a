import { RequestError } from '@agentclientprotocol/sdk/unstable'
import { endProcess } from '../../lib/end-process.ts'
import { numberOr, type PracticeCommands } from '../command.ts'
import type { PracticeTurn } from '../turn.ts'

const second = 1000
const longest = 2 ** 31 - 1

/** Flushes everything written so far. */
async function written(turn: PracticeTurn): Promise<void> {
  turn.session.history.flush()
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
}

/** Failures of real agents, on request. */
export const trouble: PracticeCommands = {
  stall: {
    description: 'Falls silent in the middle of the turn',
    hint: 'SECONDS|forever',
    run: (turn, argument) => turn.pause(Math.min(numberOr(argument, Infinity) * second, longest)),
  },
  ratelimit: {
    description: 'Fails like a model with too many requests',
    run: () =>
      Promise.reject(
        new RequestError(429, 'Rate limit exceeded: 429 Too Many Requests. Try again in 30 seconds.', {
          status: 429,
          retryAfterSeconds: 30,
        }),
      ),
  },
  error: {
    description: 'Fails with this message',
    hint: 'MESSAGE',
    run: (_turn, message) => Promise.reject(new RequestError(-32603, message || 'Something went wrong.')),
  },
  crash: {
    description: 'Ends the agent with an error',
    hint: '[CODE]',
    async run(turn, argument) {
      await written(turn)
      process.stderr.write('The practice agent was told to crash.\nThis is the last line before its end.\n', () =>
        endProcess(numberOr(argument, 1)),
      )
      await turn.pause(longest)
    },
  },
  exit: {
    description: 'Ends the agent without an error',
    async run(turn) {
      await written(turn)
      endProcess(0)
    },
  },
  'ignore-cancel': {
    description: 'Ignores cancel for the rest of the turn',
    async run(turn) {
      turn.ignoreCancel()
    },
  },
}
