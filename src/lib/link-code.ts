import { randomInt } from 'node:crypto'
import { sha256 } from './secret.ts'

/** Without letters and digits that look alike: people type it. */
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

export const linkCodeMs = 10 * 60 * 1000

/** About 40 bits, such as `K7QM-2XWD`; valid once, for ten minutes, and attempts are limited. */
export const newLinkCode = (): string =>
  Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)])
    .join('')
    .replace(/^(.{4})/, '$1-')

/** The hash of a code as somebody typed it: case, spaces and dashes do not matter. */
export const hashOfLinkCode = (typed: string): string => sha256(typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''))
