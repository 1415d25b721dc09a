import { vi } from 'vitest'
import { long } from './scale.ts'

// Campaigns at their full size take minutes.
if (long) vi.setConfig({ testTimeout: 900_000 })

// A worker whose run was interrupted in the middle of a test must not live on.
if (!process.listeners('disconnect').some(({ name }) => name === endOrphan.name)) process.on('disconnect', endOrphan)

function endOrphan(): void {
  process.exit(1)
}
