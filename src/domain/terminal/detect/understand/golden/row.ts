import type { PromptSource } from '../prompt-source.ts'
import type { PromptType } from '../../../schema.ts'

/** One prompt and the expected result. */
export type GoldenRow = {
  text: string
  /** The lines above it, nearest last, joined by newlines. */
  above?: string
  menu?: readonly string[]
  mode?: Partial<Pick<PromptSource, 'secretByMode' | 'fullScreen' | 'canonical' | 'program'>>
  type: PromptType
  /** Matches the danger reason; absent: not dangerous. */
  danger?: RegExp
  keys?: readonly string[]
  fallback?: string
  /** The first suggested input. */
  first?: string
}

/** The selected entry of a menu begins with `>`, a key ends in `)`. */
const entry = (line: string) => {
  const selected = line.startsWith('>')
  const [, key = null, label = ''] = /^>?\s*(?:(\w+)\)\s+)?(.*)$/u.exec(line) ?? []
  return { key, label, selected }
}

export const foundOf = (row: GoldenRow): PromptSource => ({
  text: row.text,
  line: row.text,
  above: row.above?.split('\n') ?? [],
  menu: row.menu?.map(entry) ?? null,
  fullScreen: false,
  secretByMode: false,
  canonical: null,
  program: null,
  ...row.mode,
})

/** The last lines of a screen, one prompt per line: `⏎` begins the next row, `▮` is the cursor. */
export type Worded = { type: PromptType | 'none'; dangerous: boolean; prompts: string }
