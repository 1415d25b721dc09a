import { randomInt } from 'node:crypto'

/** Without letters and digits that look alike; typed by people into a chat. */
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

/** About 49 bits, valid for ten minutes and once. */
export const newLinkCode = (): string =>
  Array.from({ length: 10 }, () => alphabet[randomInt(alphabet.length)])
    .join('')
    .replace(/^(.{5})/, '$1-')
