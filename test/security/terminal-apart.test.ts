import { describe, expect, it } from 'vitest'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { quantile } from '../terminals/score.ts'
import { startTerminal } from '../terminals/terminal.ts'

const rounds = 12

/** Each prompt contains the time it was printed. */
const quiet = 'while :; do read -p "At ${EPOCHREALTIME//[.,]/} which? " a; done'

/** The most expensive output for detection, endless: every line is the last of a screen, and changes. */
const hostile = (piece: string): string =>
  `n=0; while :; do n=$((n+1)); printf '\\r\\n%s' $n; i=0; while [ $i -lt 60 ]; do printf %s '${piece.repeat(30)}'; i=$((i+1)); done; sleep 0.06; done`

describe.skipIf(process.platform !== 'linux')('S8 terminals side by side', () => {
  it('a hostile terminal delays the prompt of another by no more than 250 ms', async () => {
    await using server = await startServer()
    const api = server.api()
    const start = (script: string) =>
      startTerminal(api, { sessionType: 'script', command: ['bash', '--norc', '-c', script] })

    /** From printing each prompt to its report. */
    async function latencies(): Promise<number[]> {
      await using terminal = await start(quiet)
      const seen = new Map<string, number>()
      while (seen.size < rounds) {
        const [stamp, at] = await until(
          () => {
            const last = terminal.heard.at(-1)
            const printed = /At (\d+) which\?/.exec(last?.detection.promptText ?? '')?.[1]
            return last && printed && !seen.has(printed) ? ([printed, last.at] as const) : null
          },
          { what: 'the next prompt', seconds: 60 },
        )
        seen.set(stamp, at - Number(stamp) / 1000)
        await terminal.keys(['enter'])
      }
      return [...seen.values()].slice(2).toSorted((a, b) => a - b)
    }

    const alone = await latencies()
    await using neighbours = new AsyncDisposableStack()
    for (const piece of ['/', '~/', 'a@b/']) neighbours.use(await start(hostile(piece)))
    const beside = await latencies()
    const at = (part: number) => [quantile(alone, part), quantile(beside, part)] as const
    const [[usual, usualBeside], [late, lateBeside]] = [at(0.5), at(0.9)]
    const said = [usual, late, usualBeside, lateBeside].map((ms) => ms.toFixed(0))
    console.log(
      `a prompt is told of after ${said[0]} ms (p90 ${said[1]}) alone, ${said[2]} ms (p90 ${said[3]}) beside hostile terminals`,
    )
    // On a busy machine single prompts are delayed, alone and beside others.
    expect(usualBeside - usual).toBeLessThan(100 + usual)
    expect(lateBeside - late).toBeLessThan(250 + late)
  })
})
