import { posix } from 'node:path'
import type { Engine } from './engine.ts'
import { isRecord } from '../parse-json.ts'
import type { BindMount, RunnerSpec } from './spec.ts'

const mebibyte = 2 ** 20

/** Empty inside. Engines hide some of these; the owner of a file that only root may read can be the user inside. */
const masked = [
  ...'acpi asound interrupts kcore keys kmsg kpagecgroup kpagecount kpageflags latency_stats pagetypeinfo sched_debug'
    .split(' ')
    .map((name) => `/proc/${name}`),
  ...'scsi slabinfo timer_list timer_stats vmallocinfo'.split(' ').map((name) => `/proc/${name}`),
  '/sys/devices/virtual/powercap',
  '/sys/firmware',
]

/** What a container may do: nothing that an agent does not need. */
export function hostConfig(kind: Engine['kind'], spec: RunnerSpec): Record<string, unknown> {
  const { limits } = spec
  const memory = Math.round(limits.memoryMb * mebibyte)
  return {
    NetworkMode: 'none',
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: [
      'no-new-privileges',
      ...(spec.seccomp === null ? [] : [`seccomp=${spec.seccomp}`]),
      ...(kind === 'podman' ? [`mask=${masked.join(':')}`] : []),
    ],
    ...(kind === 'docker' && { MaskedPaths: masked }),
    Memory: memory,
    // The same: no swap.
    MemorySwap: memory,
    NanoCpus: Math.round(limits.cpus * 1e9),
    PidsLimit: limits.pids,
    // Engines ask for more than a host without CAP_SYS_RESOURCE can give.
    Ulimits: [
      { Name: 'nofile', Soft: 4096, Hard: 4096 },
      { Name: 'nproc', Soft: 4096, Hard: 4096 },
      { Name: 'core', Soft: 0, Hard: 0 },
    ],
    // Podman adds /run and /var/tmp automatically, as large as half the memory of the machine.
    Tmpfs: {
      ...Object.fromEntries(volumesLeft(spec).map((at) => [at, tmpfs(kind, 64)])),
      '/tmp': tmpfs(kind, 512),
      '/run': tmpfs(kind, 16),
      '/var/tmp': tmpfs(kind, 64),
    },
    ShmSize: 64 * mebibyte,
    IpcMode: 'private',
    LogConfig: { Type: 'none', Config: {} },
    Mounts: spec.mounts.map(mount),
    ...(spec.keepId && { UsernsMode: 'keep-id' }),
  }
}

const tmpfs = (kind: Engine['kind'], megabytes: number): string =>
  `size=${megabytes}m,mode=1777,nosuid,nodev${kind === 'docker' ? ',exec' : ''}`

/** Something else is mounted at the others. */
const volumesLeft = ({ volumes, mounts }: RunnerSpec): string[] =>
  volumes.filter((at) => !mounts.some(({ to }) => to === posix.normalize(`${at}/.`)))

const mount = ({ from, to, write }: BindMount) => ({
  Type: 'bind',
  Source: from,
  Target: to,
  ReadOnly: !write,
  BindOptions: { Propagation: 'rprivate' },
})

/** Limits that were asked for and are not in force: rootless engines on cgroups v1 ignore them without a word. */
export function missingLimits(inspected: unknown, { limits }: Pick<RunnerSpec, 'limits'>): string[] {
  const config = isRecord(inspected) && isRecord(inspected['HostConfig']) ? inspected['HostConfig'] : {}
  const has = (name: string): number => (typeof config[name] === 'number' ? config[name] : 0)
  const cpus = has('NanoCpus') > 0 ? has('NanoCpus') / 1e9 : has('CpuQuota') / (has('CpuPeriod') || 100_000)
  const held: [string, boolean][] = [
    ['memory', has('Memory') === Math.round(limits.memoryMb * mebibyte)],
    ['CPUs', Math.abs(cpus - limits.cpus) < 0.01],
    ['processes', has('PidsLimit') === limits.pids],
  ]
  return held.flatMap(([name, isHeld]) => (isHeld ? [] : [name]))
}
