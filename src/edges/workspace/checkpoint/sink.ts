/** Stores the contents that a scan reads. */
export type ContentSink = {
  /** Whether this content is already stored. */
  isKept(known: { hash: string; blob: string }): boolean
  /** Stores a whole content; resolves when there is room for more, with its id in Git or ''. */
  put(hash: string, bytes: Buffer): Promise<string>
  /** Stores a large content in chunks. */
  begin(size: number): Promise<{
    push(piece: Buffer): Promise<void>
    /** Null: discard it. */
    end(hash: string | null): Promise<string>
  }>
}

/** Stores nothing, for comparing only. */
export const noSink: ContentSink = {
  isKept: () => true,
  put: () => Promise.resolve(''),
  begin: () => Promise.resolve({ push: () => Promise.resolve(), end: () => Promise.resolve('') }),
}
