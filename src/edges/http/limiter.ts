import { RateLimiterMemory } from 'rate-limiter-flexible'

/** Apart from who uses it: its package brings stores for a dozen databases, and is loaded with the first failure. */
export const createLimiter = (options: { points: number; duration: number }): RateLimiterMemory =>
  new RateLimiterMemory(options)
