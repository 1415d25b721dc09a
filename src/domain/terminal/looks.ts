/** How the characters of a screen are drawn: for each row a letter per character, and what the letters stand for. */
export type Looks = {
  readonly rows: readonly string[]
  readonly styles: Readonly<Record<string, string>>
}

export const noLooks: Looks = { rows: [], styles: {} }

/** The letters of a part of a row, each once in its order: text of another length looks the same. */
export function lookOf({ rows }: Looks, row: number, from: number, to: number): string {
  return (rows[row] ?? '').slice(from, to).replaceAll(/(.)\1+/gsu, '$1')
}

/** The position of the one that looks different from all others, which look alike; -1 if there is none. */
export function oddOne(looks: readonly string[]): number {
  if (looks.length < 3) return -1
  const odd = looks.flatMap((look, at) => (looks.indexOf(look) === looks.lastIndexOf(look) ? [at] : []))
  const kinds = new Set(looks).size
  return odd.length === 1 && kinds === 2 ? (odd[0] ?? -1) : -1
}

/** Drawn faintly: dim, or in the grey that terminals call bright black. */
export function isFaint({ rows, styles }: Looks, row: number, at: number): boolean {
  const style = styles[(rows[row] ?? '')[at] ?? ''] ?? ''
  return style.includes('dim') || greys.some((grey) => style.includes(grey))
}

/** As xterm counts them: a palette of 16, then of 256. */
const greys = ['16777216:8 ', '33554432:8 ']
