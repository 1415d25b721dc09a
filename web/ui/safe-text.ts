import { hiddenInText, named } from '../../src/client/text.ts'

// Removes only colours and cursor moves. Sequences that could contain text stay visible.
// oxlint-disable-next-line no-control-regex -- they begin with one
const colours = /\u001b\[[0-9;:?]{0,40}[A-Za-z]/g

/** Text to be approved: every character is visible. */
export const exactText = (text: string): string => text.replace(hiddenInText, named)

/** Text of agents and programs, without colours, hidden characters or reversed text. */
export const safeText = (text: string): string => exactText(text.replace(colours, ''))

/** A title in a list: what people write in Markdown, without its marks. Only short texts: titles. */
export const listTitle = (text: string): string => safeText(withoutMarks(text.slice(0, 2000)))

const withoutMarks = (text: string): string =>
  text
    .replace(/^#{1,6} +/, '')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '$1')
    .replaceAll(/`([^`\n]+)`/g, '$1')
    .replaceAll(/\[([^[\]\n]+)\]\([^()\s]*\)/g, '$1')

export const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)} …` : text)
