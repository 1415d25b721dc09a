import { type Handler, commonFlags, type CommandSpec, type Flags } from '../command.ts'
import { rootCommand } from '../table.ts'

export const completion: Handler = async ({ args }, { out }) => {
  const [shell = 'bash'] = args
  out.print(completionScript(shell as Shell, rootCommand))
}

type Shell = 'bash' | 'zsh' | 'fish'

/** A point in the command line: the words so far, and what may follow. */
type CompletionPoint = { path: string; words: readonly { word: string; about: string }[]; flags: readonly Flag[] }
type Flag = { name: string; about: string; takesValue: boolean; values: readonly string[] }

function flagsOf(command: CommandSpec): Flag[] {
  const all: Flags = { ...command.flags, ...commonFlags }
  return Object.entries(all).map(([name, spec]) => ({
    name,
    about: spec.about,
    takesValue: spec.kind !== 'switch',
    values: spec.kind === 'text' ? (spec.values ?? []) : [],
  }))
}

function places(command: CommandSpec, path: string): CompletionPoint[] {
  const choices = command.args.flatMap(({ values = [] }) => values.map((word) => ({ word, about: '' })))
  const words = [...command.children.map(({ name, summary }) => ({ word: name, about: summary })), ...choices]
  const own = { path, words, flags: flagsOf(command) }
  return [
    own,
    ...command.children.flatMap((child) => places(child, path === '' ? child.name : `${path} ${child.name}`)),
  ]
}

export function completionScript(shell: Shell, root: CommandSpec): string {
  const all = places(root, '')
  switch (shell) {
    case 'bash':
      return bash(all)
    case 'zsh':
      return zsh(all)
    case 'fish':
      return fish(all)
    default:
      return shell satisfies never
  }
}

/** In single quotes, for bash and zsh. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const quoteFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Finds the longest command path before the cursor; the same code works in bash and zsh. */
const walk = (list: string): string => `  local line='' word next
  for word in ${list}; do
    case "$word" in -*) continue ;; esac
    next="\${line:+$line }$word"
    case " $paths " in *"|$next|"*) line="$next" ;; *) break ;; esac
  done`

const pathList = (all: readonly CompletionPoint[]): string => quote(`|${all.map(({ path }) => path).join('|')}|`)

function valueCases(all: readonly CompletionPoint[], answer: (values: string) => string): string[] {
  const byName = new Map(all.flatMap(({ flags }) => flags.map((flag) => [flag.name, flag] as const)))
  return [...byName.values()].flatMap(({ name, takesValue, values }) =>
    takesValue ? [`    --${name}) ${answer(values.join(' '))}; return ;;`] : [],
  )
}

function bash(all: readonly CompletionPoint[]): string {
  const cases = all.map(({ path, words, flags }) => {
    const offered = [...words.map(({ word }) => word), ...flags.map(({ name }) => `--${name}`)]
    return `    ${quote(path)}) offered=${quote(offered.join(' '))} ;;`
  })
  const files = 'compopt -o default 2>/dev/null'
  return `# bash completion for signalbox; load it with: source <(signalbox completion bash)
_signalbox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" offered=''
  local paths=${pathList(all)}
  COMPREPLY=()
  case "$previous" in
${valueCases(all, (values) => (values === '' ? files : `COMPREPLY=($(compgen -W ${quote(values)} -- "$current"))`)).join('\n')}
  esac
${walk('"${COMP_WORDS[@]:1:COMP_CWORD-1}"')}
  case "$line" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -F _signalbox signalbox ./signalbox`
}

function zsh(all: readonly CompletionPoint[]): string {
  const described = (word: string, about: string): string =>
    quote(about === '' ? word : `${word.replaceAll(':', '\\:')}:${about}`)
  const cases = all.map(({ path, words, flags }) => {
    const offered = words.map(({ word, about }) => described(word, about))
    const options = flags.map(({ name, about }) => described(`--${name}`, about))
    return `    ${quote(path)}) offered=(${offered.join(' ')}); options=(${options.join(' ')}) ;;`
  })
  return `#compdef signalbox
# zsh completion for signalbox; load it with: source <(signalbox completion zsh)
_signalbox() {
  local -a offered options
  local paths=${pathList(all)}
  case "\${words[CURRENT-1]}" in
${valueCases(all, (values) => (values === '' ? '_files' : `compadd -- ${values}`)).join('\n')}
  esac
${walk('"${(@)words[2,CURRENT-1]}"')}
  case "$line" in
${cases.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe flag options; else _describe command offered; fi
}
compdef _signalbox signalbox`
}

function fish(all: readonly CompletionPoint[]): string {
  const lines = all.flatMap(({ path, words, flags }) => {
    const condition = path === '' ? '__signalbox_at' : `__signalbox_at ${path}`
    const head = `complete -c signalbox -n ${quoteFish(condition)}`
    const own = path === '' ? flags : flags.filter(({ name }) => !(name in commonFlags))
    return [
      ...words.map(
        ({ word, about }) => `${head} -f -a ${quoteFish(word)}${about === '' ? '' : ` -d ${quoteFish(about)}`}`,
      ),
      ...own.map(({ name, about, takesValue, values }) => {
        // Common flags are offered everywhere.
        const where = path === '' ? 'complete -c signalbox' : head
        const value = values.length > 0 ? ` -x -a ${quoteFish(values.join(' '))}` : takesValue ? ' -r' : ''
        return `${where} -l ${name}${value} -d ${quoteFish(about)}`
      }),
    ]
  })
  return `# fish completion for signalbox; save it as ~/.config/fish/completions/signalbox.fish
function __signalbox_at
    set -l words (commandline -opc | string match -v -- '-*')
    test (string join ' ' $words[2..(math 1 + (count $argv))]) = (string join ' ' $argv)
end
complete -c signalbox -f
${lines.join('\n')}`
}
