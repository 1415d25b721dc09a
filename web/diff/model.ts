export type Op = ' ' | '+' | '-'

/** One line of a change. `ended` false: there is no newline behind it. `quiet`: it differs in white space only. */
export type DiffLine = {
  op: Op
  text: string
  oldNumber: number | null
  newNumber: number | null
  ended: boolean
  quiet?: true
}

export type Hunk = {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  heading: string
  lines: DiffLine[]
}

export type FileChange = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'unread'

/** What could not be read as a diff, from which line of it on; it is shown as it is. */
export type Unread = { line: number; lines: string[] }

export type DiffFile = {
  path: string
  /** The name before a rename or a copy. */
  from: string | null
  change: FileChange
  oldMode: string | null
  newMode: string | null
  binary: boolean
  hunks: Hunk[]
  added: number
  removed: number
  unread: Unread | null
}

/** `leftOut`: lines behind the most that a page can carry. */
export type ReadDiff = { files: DiffFile[]; leftOut: number }

export const emptyFile = (path: string, change: FileChange): DiffFile => ({
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
