import { setImmediate as breathe } from 'node:timers/promises'
import type { PlanEntry } from '@agentclientprotocol/sdk/unstable'
import { numberOr, splitWord, type PracticeCommands } from '../command.ts'
import { isModeId, modeIds } from '../settings.ts'

const chunksAtOnce = 200

export const talk: PracticeCommands = {
  say: { description: 'Says the text', hint: 'TEXT', run: (turn, text) => turn.say(text) },
  think: { description: 'Thinks the text', hint: 'TEXT', run: (turn, text) => turn.think(text) },
  slow: {
    description: 'Says numbered words slowly',
    hint: 'N [MS]',
    async run(turn, argument) {
      const [count, pause] = splitWord(argument)
      const last = numberOr(count, 20)
      for (let n = 1; n <= last; n += 1) {
        await turn.say(n === 1 ? 'word-1' : ` word-${n}`)
        if (n < last) await turn.pause(numberOr(pause, 50))
      }
    },
  },
  chunks: {
    description: 'Says numbers as fast as it can',
    hint: 'N',
    async run(turn, argument) {
      const last = numberOr(argument, 1000)
      for (let n = 1; n <= last; n += 1) {
        await turn.say(`${n} `)
        // Lets a cancel in.
        if (n % chunksAtOnce === 0) await breathe()
      }
    },
  },
  plan: {
    description: 'Makes a plan and works through it',
    hint: 'STEP; STEP; STEP',
    async run(turn, argument) {
      const steps = argument
        .split(';')
        .map((step) => step.trim())
        .filter(Boolean)
      await turn.send({ sessionUpdate: 'plan', entries: entriesAt(steps, 0, 'pending') })
      for (const index of steps.keys()) {
        await turn.send({ sessionUpdate: 'plan', entries: entriesAt(steps, index, 'in_progress') })
        await turn.send({ sessionUpdate: 'plan', entries: entriesAt(steps, index, 'completed') })
      }
    },
  },
  usage: {
    description: 'Reports this usage',
    hint: 'USED COST',
    async run(turn, argument) {
      const [used, cost] = splitWord(argument)
      await turn.spend(numberOr(used, turn.session.used), numberOr(cost, turn.session.cost))
    },
  },
  mode: {
    description: 'Changes its mode',
    hint: modeIds.join('|'),
    async run(turn, id) {
      if (!isModeId(id)) return turn.say(`Unknown mode ${id}. Modes: ${modeIds.join(', ')}.`)
      turn.session.modeId = id
      await turn.send({ sessionUpdate: 'current_mode_update', currentModeId: id })
    },
  },
}

/** The plan with the step at `index` in this status; earlier steps are done, later ones pending. */
export const entriesAt = (steps: string[], index: number, status: PlanEntry['status']): PlanEntry[] =>
  steps.map((content, at) => ({
    content,
    priority: at === 0 ? 'high' : 'medium',
    status: at < index ? 'completed' : at === index ? status : 'pending',
  }))

export const memory: PracticeCommands = {
  remember: {
    description: 'Remembers the text, even after a restart',
    hint: 'TEXT',
    async run(turn, text) {
      turn.session.memory.push(text)
      turn.session.history.append({ type: 'memory', text })
      await turn.say(`I will remember: ${text}`)
    },
  },
  recall: {
    description: 'Says what it was told to remember',
    async run(turn) {
      const told = turn.session.memory
      await turn.say(told.length > 0 ? `I remember: ${told.join('; ')}` : 'I remember nothing.')
    },
  },
  env: {
    description: 'Prints its directory and the names of its variables',
    async run(turn) {
      const names = Object.keys(process.env).toSorted().join(' ')
      await turn.say(`cwd: ${process.cwd()}\nworkspace: ${turn.session.cwd}\nvariables: ${names}`)
    },
  },
}
