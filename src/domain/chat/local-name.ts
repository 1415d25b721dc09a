const longest = 60

/** Letters and digits of any script, in one word. */
const asWord = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== '')
    .join('-')
    .slice(0, longest)
    .replace(/-$/, '')

/** A name for a destination, made from its own names, the first that says something; `-2`, `-3` … if it is taken. */
export function freeLocalName(wanted: readonly (string | null)[], taken: readonly string[]): string {
  const name = wanted.map((one) => asWord(one ?? '')).find((one) => one !== '') ?? 'chat'
  if (!taken.includes(name)) return name
  for (let n = 2; ; n += 1) if (!taken.includes(`${name}-${n}`)) return `${name}-${n}`
}
