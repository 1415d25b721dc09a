import type { AvailableCommand } from '@agentclientprotocol/sdk/unstable'
import { splitWord, type PracticeCommand, type PracticeCommands } from './command.ts'
import { asks } from './commands/asks.ts'
import { files } from './commands/files.ts'
import { memory, talk } from './commands/talk.ts'
import { seed } from './commands/seed.ts'
import { trouble } from './commands/trouble.ts'
import { work } from './commands/work.ts'
import { tour } from './tour.ts'
import type { PracticeTurn } from './turn.ts'

const commands: Map<string, PracticeCommand> = new Map(
  Object.entries<PracticeCommand>({
    tour: { description: 'Shows everything Signalbox can do', run: tour },
    ...talk,
    ...files,
    ...work,
    ...asks,
    ...memory,
    ...trouble,
    ...seed,
  } satisfies PracticeCommands),
)

export const availableCommands: AvailableCommand[] = [...commands].map(([name, { description, hint }]) => ({
  name,
  description,
  input: hint === undefined ? null : { hint },
}))

/** Runs commands line by line; other lines continue the command before. Any other prompt starts the tour. */
export async function perform(turn: PracticeTurn, prompt: string): Promise<void> {
  for (const line of linesOf(prompt)) {
    const [name, argument] = splitWord(line.slice(1))
    turn.newLine()
    const command = commands.get(name)
    if (command) await command.run(turn, argument)
    else await turn.say(`Unknown command /${name}. Commands: ${[...commands.keys()].join(', ')}.`)
  }
}

/** In a chat of several people, a message begins with the name of its writer. */
const writer = /^[^\n/:]{1,100}: (?=\/)/

function linesOf(prompt: string): string[] {
  const text = prompt.trim().replace(writer, '')
  return text.startsWith('/') ? text.split(/\n(?=\/)/).map((line) => line.trimEnd()) : [`/tour ${text}`]
}
