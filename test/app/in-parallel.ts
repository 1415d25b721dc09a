/** A few at a time, as a server would get them. */
export async function inParallel<T>(
  items: Iterator<T>,
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = Iterator.from(items)
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: width }, worker))
}
