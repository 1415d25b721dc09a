import type { PromptSource } from '../prompt-source.ts'
import type { PromptType } from '../../../schema.ts'

/** One prompt and what is to be understood of it. */
export type Row = {
  text: string
  /** Lines above it, nearest last, in one text. */
  above?: string
  menu?: readonly string[]
  mode?: Partial<Pick<PromptSource, 'secretByMode' | 'fullScreen' | 'canonical' | 'program'>>
  type: PromptType
  /** What its danger says; absent: it is not dangerous. */
  danger?: RegExp
  keys?: readonly string[]
  fallback?: string
  /** The first suggested input. */
  first?: string
}

/** The marked entry of a menu begins with `>`, a key ends in `)`. */
const entry = (line: string) => {
  const selected = line.startsWith('>')
  const [, key = null, label = ''] = /^>?\s*(?:(\w+)\)\s+)?(.*)$/u.exec(line) ?? []
  return { key, label, selected }
}

export const foundOf = (row: Row): PromptSource => ({
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

/** Last lines of a screen, one prompt a line: `⏎` begins the next row, `▮` is the cursor. */
export type Worded = { type: PromptType | 'none'; dangerous: boolean; prompts: string }
