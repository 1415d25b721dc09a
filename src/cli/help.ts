import { withProgramName } from './program-name.ts'
import { commonFlags, type CommandSpec, type Flags } from './command.ts'
import type { Paint } from './output.ts'
import { usageLine } from './parse.ts'

/** The help of a command at any level. */
export function renderHelp(command: CommandSpec, path: readonly string[], paint: Paint): string {
  const title = path.length === 0 ? command.summary : `${['signalbox', ...path].join(' ')}: ${command.summary}`
  const usages = [
    ...(command.run ? [usageLine(command, path) + (Object.keys(command.flags).length > 0 ? ' [flags]' : '')] : []),
    ...(command.children.length > 0 ? [`${['signalbox', ...path].join(' ')} COMMAND`] : []),
  ]
  const blocks = [
    paint('bold', title),
    ...(command.more === undefined ? [] : [command.more]),
    usages.map((usage, index) => `${index === 0 ? 'Usage: ' : '       '}${usage}`).join('\n'),
    ...groups(command, paint),
    ...choices(command, paint),
    ...(Object.keys(command.flags).length > 0 ? [section('Flags', flagRows(command.flags), paint)] : []),
    ...(command.examples.length > 0
      ? [
          section(
            'Examples',
            command.examples.map((example) => [example, '']),
            paint,
          ),
        ]
      : []),
    ...(path.length === 0 ? [section('Global flags', flagRows(commonFlags), paint)] : []),
    ...(path.length === 0 ? ['Help for a command: signalbox COMMAND --help'] : ['Global flags: signalbox --help']),
  ]
  return withProgramName(blocks.join('\n\n'))
}

function groups(command: CommandSpec, paint: Paint): string[] {
  const names = [...new Set(command.children.map(({ group }) => group ?? 'Commands'))]
  const width = Math.max(0, ...command.children.map(({ name }) => name.length))
  return names.map((group) => {
    const members = command.children.filter((child) => (child.group ?? 'Commands') === group)
    return section(
      group,
      members.map(({ name, summary }) => [name, summary]),
      paint,
      width,
    )
  })
}

const choices = (command: CommandSpec, paint: Paint): string[] =>
  command.args.flatMap(({ name, values }) => (values ? [`${paint('bold', name)}: ${values.join(', ')}`] : []))

function flagRows(flags: Flags): [string, string][] {
  return Object.entries(flags).map(([name, spec]) => {
    const choice = spec.kind === 'text' && spec.values ? `: ${spec.values.join(', ')}` : ''
    return [`--${name}${spec.kind === 'switch' ? '' : ` ${spec.hint}`}`, `${spec.about}${choice}`]
  })
}

function section(title: string, rows: readonly (readonly [string, string])[], paint: Paint, atLeast = 0): string {
  const width = Math.max(atLeast, ...rows.map(([left]) => left.length))
  const lines = rows.map(([left, right]) => (right === '' ? `  ${left}` : `  ${left.padEnd(width)}  ${right}`))
  return [paint('bold', title), ...lines].join('\n')
}
