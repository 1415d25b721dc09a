import { vi } from 'vitest'
import { long } from './scale.ts'

// Full-size runs take minutes.
if (long) vi.setConfig({ testTimeout: 900_000 })

// A worker whose run was interrupted during a test must not survive.
if (!process.listeners('disconnect').some(({ name }) => name === endOrphan.name)) process.on('disconnect', endOrphan)

function endOrphan(): void {
  process.exit(1)
}
