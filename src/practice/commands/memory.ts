import type { Commands } from '../command.ts'

export const memory: Commands = {
  remember: {
    description: 'Keeps the text in mind, also after a restart',
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
    description: 'Says where it runs and which variables it has, without their values',
    async run(turn) {
      const names = Object.keys(process.env).toSorted().join(' ')
      await turn.say(`cwd: ${process.cwd()}\nworkspace: ${turn.session.cwd}\nvariables: ${names}`)
    },
  },
}
