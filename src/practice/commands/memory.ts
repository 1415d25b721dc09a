import type { PracticeCommands } from '../command.ts'

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
