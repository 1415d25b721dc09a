/** Lets others have their turn: long work is done in pieces with this between them. */
export const breathe = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
