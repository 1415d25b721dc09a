import { hiddenInText, named } from '../../src/client/text.ts'

// Colours and movements alone: digits and a letter. What could hold words is not taken out but shown.
// oxlint-disable-next-line no-control-regex -- they begin with one
const colours = /\u001b\[[0-9;:?]{0,40}[A-Za-z]/g

/** What somebody approves: every character of it is there to be seen. */
export const exactText = (text: string): string => text.replace(hiddenInText, named)

/** Text of agents and programs as text: without colours, and with nothing hidden or turned around in it. */
export const safeText = (text: string): string => exactText(text.replace(colours, ''))

export const clip = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)} …` : text)
