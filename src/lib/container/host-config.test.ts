import { expect, it } from 'vitest'
import { hostConfig } from './host-config.ts'
import type { RunnerSpec } from './spec.ts'

const spec: RunnerSpec = {
  engine: { socket: '/run/engine.sock', kind: 'docker', version: '1.41' },
  install: 'i',
  session: 's',
  image: 'node:24',
  command: ['node'],
  env: {},
  cwd: '/work',
  user: '1000:1000',
  keepId: false,
  mounts: [
    { from: '/work', to: '/work', write: true },
    { from: '/srv/kept', to: '/kept', write: true },
  ],
  volumes: ['/data', '/kept/'],
  limits: { memoryMb: 64, cpus: 1, pids: 10, diskMb: 10 },
  allowMissingLimits: false,
  seccomp: null,
  gate: { socket: '/run/gate', server: null, hosts: [], providers: [], proxy: null, direct: '' },
  watched: ['/work'],
}

it.each(['docker', 'podman'] as const)(
  'a volume that the image of %s declares is in memory and has a size, unless something is mounted there',
  (kind) => {
    const { Tmpfs: inMemory } = hostConfig(kind, spec)
    expect(Object.keys(inMemory as object).toSorted()).toEqual(['/data', '/run', '/tmp', '/var/tmp'])
    expect((inMemory as Record<string, string>)['/data']).toMatch(/^size=\d+m,.*nosuid/)
  },
)
