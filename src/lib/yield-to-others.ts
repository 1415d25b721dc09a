/** Lets other work run between two pieces of a long one. */
export const yieldToOthers = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
