import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { entriesAt } from './commands/talk.ts'
import { editFile, type WorkOutcome } from './edit-file.ts'
import { askQuestion } from './question.ts'
import { runCommand } from './run-command.ts'
import { openTool, textContent } from './tool-call.ts'
import type { PracticeTurn } from './turn.ts'
import { fileToRead, readText } from './workspace.ts'

const steps = ['Read a file', 'Propose an edit', 'Run a command', 'Ask a question']
const notes = 'signalbox-practice.md'

/** Shows everything Signalbox can show of an agent's work, once. */
export async function tour(turn: PracticeTurn): Promise<void> {
  await turn.think('There is no model here. I show what an agent can do, one step at a time.')
  await step(turn, 0, 'in_progress')
  await turn.tell(
    'I am the practice agent: I need no model and no account, and show you what working with agents is like.\n\n',
  )

  await turn.tell(`${await readSomething(turn)}\n\n`)
  await step(turn, 1, 'in_progress')

  await turn.tell(
    `Now I would like to write ${notes}. You see the difference first, and nothing is written without you.\n\n`,
  )
  const edited = await editFile(turn, { path: notes, title: `Write ${notes}`, change: withOneMoreTour })
  await turn.tell(`${afterEdit[edited]}\n\n`)
  await step(turn, 2, 'in_progress')

  const command = existsSync(join(turn.session.cwd, '.git')) ? 'git status --short' : 'ls'
  await turn.tell(`I also ask before I run a command. I would like to run \`${command}\`.

`)
  const ran = await runCommand(turn, command)
  await step(turn, 3, 'in_progress')

  await turn.tell('Sometimes an agent needs to know something.\n\n')
  const answer = await askQuestion(turn, 'What would you like to try next?', [
    { value: 'steer', title: 'Steer an agent while it works' },
    { value: 'stop', title: 'Stop an agent in the middle' },
    { value: 'real', title: 'Start a real agent' },
  ])
  await step(turn, 3, 'completed')

  await turn.tell(
    [
      'That was the tour. In short:\n',
      `- Edit of ${notes}: ${edited}`,
      `- Command \`${command}\`: ${ran}`,
      `- Question: ${answer === null ? 'not answered' : `answered "${answer}"`}\n`,
      next[answer ?? ''] ?? 'Say anything to take the tour again.',
    ].join('\n'),
  )
}

const afterEdit: Record<WorkOutcome, string> = {
  done: 'You allowed it, so the file is written.',
  'not allowed': 'You did not allow it, so nothing was written. I continue without it.',
  failed: 'The file could not be written; the tool call says why.',
}

const next: Record<string, string> = {
  steer: 'Try `/slow 200`, and send another prompt while I speak.',
  stop: 'Try `/stall forever`, and cancel the turn.',
  real: '`signalbox agents` shows which agents are installed, and how to install the others.',
}

async function step(turn: PracticeTurn, index: number, status: 'in_progress' | 'completed'): Promise<void> {
  await turn.send({ sessionUpdate: 'plan', entries: entriesAt(steps, index, status) })
}

async function readSomething(turn: PracticeTurn): Promise<string> {
  const path = await fileToRead(turn.session.cwd)
  if (path === null) return 'Your workspace has no file to read yet, so I skip that step.'
  const name = basename(path)
  const tool = await openTool(turn, {
    title: `Read ${name}`,
    kind: 'read',
    status: 'in_progress',
    locations: [{ path }],
  })
  const text = await readText(path).catch(() => null)
  if (text === null) {
    await tool.update({ status: 'failed', content: [textContent('It can’t be read.')] })
    return `I tried to read ${name}, but can't.`
  }
  await tool.update({ status: 'completed', content: [textContent(text.slice(0, 2000))] })
  const lines = text.trimEnd().split('\n')
  const first = lines
    .find((line) => line.trim())
    ?.trim()
    .slice(0, 100)
  return first === undefined
    ? `I read ${name}: it is empty.`
    : `I read ${name}: it has ${lines.length} ${lines.length === 1 ? 'line' : 'lines'} and begins with "${first}".`
}

const heading = '# Practice\n\nWritten by the practice agent of Signalbox. You can delete this file.\n\n'

function withOneMoreTour(old: string | null): string {
  const before = old ?? heading
  const count = before.match(/^- Tour \d+/gm)?.length ?? 0
  return `${before}${before.endsWith('\n') ? '' : '\n'}- Tour ${count + 1} completed.
`
}
