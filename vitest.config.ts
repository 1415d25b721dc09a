import { defineConfig } from 'vitest/config'
import { SpreadSequencer } from './scripts/lib/spread-sequencer.ts'
import { tallyReporter } from './scripts/lib/tally-reporter.ts'
import { long } from './test/support/scale.ts'

const second = 1000

const shared = {
  // Tests keep no module state, so that files can share a worker: many times quicker than a worker each.
  isolate: false,
  setupFiles: ['test/support/worker-setup.ts'],
  pool: 'forks' as const,
  // CI tries a failed test once more and names it in the summary: a reason to look, not a pass.
  retry: process.env['CI'] ? 1 : 0,
  // Longer than `until` waits, so that it can say what did not come.
  testTimeout: 45 * second,
  hookTimeout: 60 * second,
}

export default defineConfig({
  test: {
    // Most tests wait for processes and clocks more than they compute, about 0.4 cores each: so this many for two cores.
    maxWorkers: 5,
    reporters: ['default', tallyReporter()],
    sequence: { sequencer: SpreadSequencer },
    globalSetup: ['test/support/postgres-setup.ts'],
    projects: [
      {
        test: {
          ...shared,
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
        test: { ...shared, name: 'conformance', include: ['test/conformance/**/*.test.ts'], testTimeout: 90 * second },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/browser-setup.ts'],
          testTimeout: 120 * second,
        },
      },
      {
        test: {
          ...shared,
          name: 'agents',
          include: ['test/agents/**/*.test.ts'],
          globalSetup: ['test/support/agents-setup.ts', 'test/support/browser-setup.ts'],
          testTimeout: 300 * second,
          hookTimeout: 180 * second,
        },
      },
      {
        test: {
          ...shared,
          name: 'terminals',
          include: ['test/terminals/**/*.test.ts'],
          globalSetup: ['test/support/programs-setup.ts'],
          testTimeout: 180 * second,
          hookTimeout: 180 * second,
        },
      },
      {
        test: {
          ...shared,
          name: 'containers',
          include: ['test/containers/**/*.test.ts'],
          globalSetup: ['test/support/containers-setup.ts'],
          testTimeout: 120 * second,
          hookTimeout: 120 * second,
        },
      },
      {
        test: { ...shared, name: 'security', include: ['test/security/**/*.test.ts'], testTimeout: 120 * second },
      },
      // Only in `npm run test:long`, where the others repeat more often, too (test/support/scale.ts).
      ...(long
        ? [
            {
              test: {
                ...shared,
                name: 'long',
                include: ['test/long/**/*.test.ts'],
                globalSetup: ['test/support/agents-setup.ts'],
              },
            },
          ]
        : []),
      {
        // A campaign of kills states its own limit; whatever else takes this long hangs.
        test: { ...shared, name: 'faults', include: ['test/faults/**/*.test.ts'], testTimeout: 90 * second },
      },
    ],
  },
})
