import type { WholeChange } from '../../../client/contract/changes.ts'
import { proposedMessage } from './change.ts'

const mostTitle = 250
const mostListed = 30
const mostTask = 4000

/** Title and text of a pull request: one commit speaks for itself; else what the session was asked. */
export function proposedRequest({
  prompt,
  commits,
  files,
}: Pick<WholeChange, 'commits' | 'files'> & { prompt: string | null }): { title: string; body: string } {
  const [only] = commits
  const title = only && commits.length === 1 ? only.subject : proposedMessage(prompt, files)
  const task = prompt?.trim() ?? ''
  const listed = commits.slice(0, mostListed).map(({ subject }) => `- ${subject}`)
  const parts = [
    ...(task === '' || task === title ? [] : [clipped(task, mostTask)]),
    ...(commits.length > 1 ? [[...listed, ...(commits.length > mostListed ? ['- …'] : [])].join('\n')] : []),
  ]
  return {
    title: clipped(title.replaceAll(/\p{Cc}+/gu, ' '), mostTitle),
    body: parts.join('\n\n').replaceAll('\0', ''),
  }
}

const clipped = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)
