/** Where the contents that a scan reads are kept. */
export type Sink = {
  /** Whether a content known by these names need not be handed over again. */
  isKept(known: { hash: string; blob: string }): boolean
  /** A whole content; resolves when there is room for more. Gives its name in Git, or an empty one. */
  put(hash: string, bytes: Buffer): Promise<string>
  /** A large content, piece by piece; false from `end` says that it was not what was announced. */
  begin(size: number): Promise<{
    push(piece: Buffer): Promise<void>
    /** Null: it is not to be kept after all. */
    end(hash: string | null): Promise<string>
  }>
}

/** Only looks. */
export const noSink: Sink = {
  isKept: () => true,
  put: () => Promise.resolve(''),
  begin: () => Promise.resolve({ push: () => Promise.resolve(), end: () => Promise.resolve('') }),
}
