import * as z from 'zod'

/** Discord's ids: numbers of up to 64 bits as text. The upper bits are the time, so later ids are larger. */
export const Snowflake = z.string().regex(/^\d{1,20}$/)

/** Discord counts from the beginning of 2015. */
const epochMs = 1_420_070_400_000n

export const timeOfId = (id: string): string => new Date(Number((BigInt(id) >> 22n) + epochMs)).toISOString()

/** The smallest id of that moment. */
export const idOfTime = (ms: number): string => {
  const since = BigInt(Math.floor(ms)) - epochMs
  return String(since > 0n ? since << 22n : 0n)
}

export const isLater = (id: string, than: string): boolean => BigInt(id) > BigInt(than)
