/** Lets other work run between two steps of a long task. */
export const yieldToOthers = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
