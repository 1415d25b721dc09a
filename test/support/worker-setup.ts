import { beforeEach, expect, vi } from 'vitest'
import { long } from './scale.ts'

// Full-size runs take minutes.
if (long) vi.setConfig({ testTimeout: 900_000 })

// A test whose loop ran over nothing, or that returned early, proves nothing. Tests that run at the same time share the
// count, so it can't be known for them.
beforeEach(({ task }) => {
  // oxlint-disable-next-line vitest/no-standalone-expect -- it is part of each test
  if (!task.concurrent) expect.hasAssertions()
})

// A worker whose run was interrupted during a test must not survive.
if (!process.listeners('disconnect').some(({ name }) => name === endOrphan.name)) process.on('disconnect', endOrphan)

function endOrphan(): void {
  process.exit(1)
}
