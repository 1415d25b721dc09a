import { defineConfig } from 'vitest/config'
import { tallyReporter } from './scripts/lib/tally-reporter.ts'

const second = 1000

const shared = {
  // Tests keep no module state, so that files can share a worker: many times quicker than a worker each.
  isolate: false,
  setupFiles: ['test/support/worker-setup.ts'],
  pool: 'forks' as const,
  // Real databases, processes and browsers on a machine that may be busy: CI tries once more and says so ("retry x1").
  retry: process.env['CI'] ? 1 : 0,
  testTimeout: 30 * second,
  hookTimeout: 60 * second,
}

// Most of these wait for processes, clocks and disks half of their time: three keep two cores busy.
const beside = { ...shared, maxWorkers: 3, sequence: { groupOrder: 0 } }
// Browsers and what is done to the millisecond at terminals: two, when the others are through.
const apart = { ...shared, maxWorkers: 2, sequence: { groupOrder: 1 } }

export default defineConfig({
  test: {
    reporters: ['default', tallyReporter()],
    globalSetup: ['test/support/postgres-setup.ts'],
    projects: [
      {
        test: {
          ...beside,
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'web/**/*.test.ts',
            'test/*.test.ts',
            'test/{app,edges,docs,support}/**/*.test.ts',
          ],
        },
      },
      {
        test: { ...beside, name: 'conformance', include: ['test/conformance/**/*.test.ts'], testTimeout: 60 * second },
      },
      {
        test: {
          ...apart,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/browser-setup.ts'],
          testTimeout: 120 * second,
        },
      },
      {
        test: {
          ...beside,
          name: 'agents',
          include: ['test/agents/**/*.test.ts'],
          globalSetup: ['test/support/agents-setup.ts', 'test/support/browser-setup.ts'],
          testTimeout: 180 * second,
          hookTimeout: 180 * second,
        },
      },
      {
        test: {
          ...apart,
          name: 'terminals',
          include: ['test/terminals/**/*.test.ts'],
          globalSetup: ['test/support/programs-setup.ts'],
          testTimeout: 180 * second,
          hookTimeout: 180 * second,
        },
      },
      { test: { ...beside, name: 'faults', include: ['test/faults/**/*.test.ts'], testTimeout: 600 * second } },
    ],
  },
})
