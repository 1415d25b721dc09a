import type { Check } from '../../client/contract/system.ts'
import { withProgramName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import { localChecks, serverChecks } from '../checks.ts'
import { cleanLine } from '../clean-text.ts'
import { exit } from '../failure.ts'
import type { Colour, Output } from '../output.ts'
import { counted } from '../display-text.ts'
import { wrapLines } from '../wrap-lines.ts'

export const doctor: Handler = async (_invocation, context) => {
  const { loaded, checks } = await localChecks(context)
  checks.push(...(await serverChecks(context, loaded)))
  if (context.json) context.out.json(checks)
  else context.out.print(renderChecks(checks, context.out))
  return checks.some(({ status }) => status === 'fail') ? exit.failed : exit.ok
}

const colours: Record<Check['status'], Colour> = { ok: 'green', warn: 'yellow', fail: 'red' }

export function renderChecks(
  checks: readonly Check[],
  { paint, width: room }: Pick<Output, 'paint' | 'width'>,
): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const broken = (text: string, hang: number): string =>
    wrapLines(text, room - width - 8, hang).replaceAll('\n', `\n${' '.repeat(width + 8)}`)
  const lines = checks.flatMap(({ name, status, detail, hint }) => [
    `${paint(colours[status], status.padEnd(4))}  ${name.padEnd(width)}  ${broken(cleanLine(detail), 0)}`,
    ...(hint === null || status === 'ok'
      ? []
      : [`${' '.repeat(width + 8)}${broken(`→ ${withProgramName(cleanLine(hint))}`, 2)}`]),
  ])
  const count = (wanted: Check['status']): number => checks.filter(({ status }) => status === wanted).length
  const [warned, failed] = [count('warn'), count('fail')]
  const verdict =
    warned + failed === 0
      ? paint('green', 'No problems found.')
      : `${counted(failed, 'error')}, ${counted(warned, 'warning')}; fixes follow each →`
  return [...lines, '', wrapLines(verdict, room)].join('\n')
}
