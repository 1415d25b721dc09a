import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { prepareContainer } from '../../src/edges/acp/launch/container.ts'
import { agentDefinitions } from '../../src/edges/acp/launch/presets.ts'
import { loadConfig } from '../../src/config/index.ts'
import { createContainers } from '../../src/lib/container/containers.ts'
import { usualContainer } from '../../src/lib/container/settings.ts'
import { engineMissing, engineNames, startEngine, type EngineService } from '../../test/support/engines.ts'
import { atMost, type Figure, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'

const dist = join(import.meta.dirname, '..', '..', 'dist')
/** Says one byte, and ends with its input. */
const script = "process.stdout.write('x');process.stdin.on('end',()=>process.exit()).resume()"

export const containerStart: Line = {
  name: 'container-start',
  measured: `Milliseconds from a spawn to the first byte of a program in a container of the same image. Ours: the runner as
the keeper starts it, with limits, mounts, gate and relay. The peer: the engine's own command line, \`run -i --rm
--network=none\`, without any of that. For each engine that can be started here.`,
  async run({ folder, quick }) {
    const figures: Figure[] = []
    for (const name of engineNames) {
      if (engineMissing(name) !== null) continue
      await using engine = await startEngine(name)
      figures.push(await measure(engine, join(folder, name), quick ? 3 : 12))
    }
    return figures
  },
}

async function measure(engine: EngineService, folder: string, rounds: number): Promise<Figure> {
  const [dataDir, workspace] = [join(folder, 'data'), join(folder, 'work')]
  for (const place of [dataDir, workspace]) await mkdir(place, { recursive: true })
  const containers = createContainers({
    dataDir,
    engineSocket: engine.socket,
    env: process.env,
    ownSocket: '/nonexistent',
  })
  const loaded = loadConfig({ env: {}, dataDir })
  if (!loaded.ok) throw new Error('the configuration is faulty')
  const program = { command: process.execPath, args: ['-e', script] }
  const agent = agentDefinitions(loaded.value.config, program).get('practice')
  const image = await containers.ensureImage(usualContainer, () => {})
  if (!agent || !image.ok) throw new Error('no image')
  const launch = () =>
    prepareContainer(
      {
        agent,
        workspace,
        sessionId: 'bench',
        ownerUserId: 'bench',
        extraWritable: [],
        bridgeFiles: [],
        settings: [],
        request: { settings: usualContainer, homeKey: null },
      },
      {
        containers,
        dataDir,
        hostEnv: process.env,
        runner: [process.execPath, '--max-semi-space-size=1', join(dist, 'runner.js')],
        relay: join(dist, 'relay.js'),
        gate: null,
        ownPort: () => null,
        allowed: [],
        allowMissingLimits: false,
        keys: async () => null,
        onLog: () => {},
      },
    )
  const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']
  const [command, ...before] = engine.cli
  const bare = [...before, 'run', '-i', '--rm', '--network=none', ...limits, image.value, 'node', '-e', script]
  const { ours, peer } = await interleaved(rounds, {
    peer: () => timeOf(command, bare, process.env),
    async ours() {
      const prepared = await launch()
      if (!prepared.ok) throw new Error(prepared.fault.message)
      const [program, ...args] = prepared.value.argv
      return timeOf(program, args, prepared.value.env)
    },
  })
  return atMost(1.5, {
    name: `container-start/${engine.name}`,
    title: `Start of a container, ${engine.name}`,
    unit: 'ms',
    ours: sampleOf(ours),
    peer: sampleOf(peer),
    ratio: ratioOf(ours, peer),
  })
}

async function timeOf(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now()
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  const took = performance.now() - began
  child.stdin.end()
  await ended
  return took
}
