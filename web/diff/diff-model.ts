export type Op = ' ' | '+' | '-'

/** One line of a change. `ended` false: no newline at its end. `quiet`: only white space differs. */
export type DiffLine = {
  op: Op
  text: string
  oldNumber: number | null
  newNumber: number | null
  ended: boolean
  quiet?: true
}

export type ShownHunk = {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  heading: string
  lines: DiffLine[]
}

export type ChangeKind = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'unread'

/** The part that could not be parsed, and the line it starts at. It is shown as is. */
export type UnreadPart = { line: number; lines: string[] }

export type DiffFile = {
  path: string
  /** The name before a rename or a copy. */
  from: string | null
  change: ChangeKind
  oldMode: string | null
  newMode: string | null
  binary: boolean
  hunks: ShownHunk[]
  added: number
  removed: number
  unread: UnreadPart | null
}

/** `leftOut`: lines beyond the limit of a page. */
export type ReadDiff = { files: DiffFile[]; leftOut: number }

export const emptyFile = (path: string, change: ChangeKind): DiffFile => ({
  path,
  from: null,
  change,
  oldMode: null,
  newMode: null,
  binary: false,
  hunks: [],
  added: 0,
  removed: 0,
  unread: null,
})
