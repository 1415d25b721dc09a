import { finding, type Finding } from './finding.ts'
import { judgeRead, judgeWrite, type RiskScope } from './paths.ts'
import { programRules } from './programs.ts'
import { readScript, type ShellPart } from './shell-script.ts'

const shells = new Set('sh bash dash ash zsh fish ksh mksh csh tcsh rbash busybox'.split(' '))
const interpreters =
  /^(python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua|luajit|Rscript|osascript|pwsh|powershell|cmd|awk|gawk|tclsh|guile|racket|elixir|erl)$/
const codeOptions = /^(-c|-e|-r|-E|-p|-pe|-ne|-le|--eval|--print|--command|-Command|-EncodedCommand|\/c|\/C|eval)$/
const downloads = /^(curl|wget|fetch|http|https|xh|aria2c|lynx|nc|ncat)$/
const decoders = /^(base64|base32|xxd|openssl|gunzip|zcat|uudecode|rev|tr|gpg|od|printf)$/
/** Words that may come before a command. */
const leadingWords = new Set('if then else elif do while until { } ! time coproc [[ [ test'.split(' '))
const controlWords = new Set('for case select esac done fi function in return break continue'.split(' '))
const userSwitchers = new Set('sudo doas su pkexec run0 runuser gosu su-exec sudoedit'.split(' '))
/** Programs that run the command after them, and which of their options take a value. */
const wrappers: Readonly<Record<string, RegExp>> = {
  sudo: /^-[ugpCDhRTU]$/,
  doas: /^-[uC]$/,
  run0: /^--\w+$/,
  runuser: /^-[ugG]$/,
  env: /^-[uCS]$/,
  nohup: /^$/,
  nice: /^-n$/,
  ionice: /^-[cnp]$/,
  setsid: /^$/,
  stdbuf: /^-[ioe]$/,
  timeout: /^-[ks]$/,
  xargs: /^-[IndLPsaE]$/,
  parallel: /^-[jIN]$/,
  command: /^$/,
  builtin: /^$/,
  exec: /^-a$/,
  watch: /^-n$/,
  strace: /^-[eopsu]$/,
  flock: /^-[wE]$/,
  busybox: /^$/,
  unshare: /^$/,
  chroot: /^$/,
}

const deepest = 6

/** All findings about a command line; the worst one decides. */
export function judgeCommand(line: string, place: RiskScope, depth = 0): Finding[] {
  if (/:\s*\(\s*\)\s*\{[^}]*:\s*\|\s*:/.test(line))
    return [finding('critical', 'starts an endless number of processes')]
  const parts = depth > deepest ? null : readScript(line)
  if (parts === null) return [finding('high', "is a command that Signalbox can't parse")]
  return parts.flatMap((part) => judgePart(part, place, depth))
}

function judgePart(part: ShellPart, place: RiskScope, depth: number): Finding[] {
  return [
    ...part.writes.flatMap((path) => judgeWrite(path, place, false)),
    ...part.reads.flatMap((path) => judgeRead(path, place, false)),
    ...judgeWords(part.words, part, place, depth),
  ]
}

function judgeWords(words: readonly string[], part: ShellPart, place: RiskScope, depth: number): Finding[] {
  const [first, ...rest] = words
  if (first === undefined || controlWords.has(first) || depth > deepest) return []
  if (leadingWords.has(first) || /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/.test(first))
    return judgeWords(rest, part, place, depth)
  const program = nameOf(first)
  const findings: Finding[] = []
  if (userSwitchers.has(program)) findings.push(finding('high', 'runs as another user'))
  if (program in wrappers) return [...findings, ...judgeWords(wrappedCommand(program, rest), part, place, depth + 1)]
  if (program === 'eval')
    return [
      ...findings,
      finding(hasDownload(part) ? 'critical' : 'high', 'runs text as a command'),
      ...judgeCommand(rest.join(' ').replaceAll('$(…)', ''), place, depth + 1),
    ]
  if (program === 'su' || program === 'sudoedit') return findings
  findings.push(...judgeRun(program, rest, part, place, depth))
  findings.push(...(programRules.get(program.replace(/^mkfs\..*/, 'mkfs'))?.(rest, place) ?? []))
  // Any program may read the files it is given.
  for (const word of rest) {
    const value = /^--?[\w-]+=(.*)$/s.exec(word)?.[1] ?? word
    if (value.length <= 4096 && !/\s/.test(value)) findings.push(...judgeRead(value, place, false))
  }
  if (/[$`]/.test(first)) findings.push(finding('high', 'runs a program named by a variable'))
  return [...findings, ...judgeFindExec(program, rest, part, place, depth)]
}

const nameOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1).replace(/\.(exe|cmd|bat|com)$/i, '')

/** The command after the options of a wrapper. */
function wrappedCommand(program: string, words: readonly string[]): readonly string[] {
  const takes = wrappers[program] ?? /^$/
  let at = 0
  while (at < words.length) {
    const word = words[at] ?? ''
    if (word === '--') {
      at += 1
      break
    }
    if (word.startsWith('-')) at += takes.test(word) ? 2 : 1
    else if (program === 'env' && /^\w+=/.test(word)) at += 1
    else break
  }
  // One argument before the command: a duration, a lock file, a directory.
  return words.slice(['timeout', 'flock', 'chroot'].includes(program) ? at + 1 : at)
}

/** Shells and interpreters: what they run, and where the code comes from. */
function judgeRun(
  program: string,
  args: readonly string[],
  part: ShellPart,
  place: RiskScope,
  depth: number,
): Finding[] {
  const isShell = shells.has(program) || program === 'source' || program === '.'
  if (!isShell && !interpreters.test(program)) return []
  const option = args.findIndex((word) => codeOptions.test(word) || (isShell && /^-[a-z]*c$/.test(word)))
  const code = option < 0 ? undefined : args[option + 1]
  const findings: Finding[] = []
  const file = args.find((word) => !word.startsWith('-'))
  const isFed = code === undefined && (file === undefined || file === '-' || file === '/dev/stdin')
  if (part.inner.length > 0 && (isShell || code !== undefined))
    findings.push(
      hasDownload(part)
        ? finding('critical', 'runs what it downloads')
        : finding('high', 'runs the output of another program'),
    )
  if (isFed && part.after.length > 0) {
    const before = part.after.map(({ words }) => nameOf(words.find((word) => !/=/.test(word)) ?? ''))
    if (before.some((name) => downloads.test(name))) findings.push(finding('critical', 'runs what it downloads'))
    else if (before.some((name) => decoders.test(name))) findings.push(finding('critical', 'runs an encoded script'))
    else findings.push(finding('high', 'runs a script from another program'))
  } else if (isFed && (part.fed || part.reads.length > 0))
    findings.push(finding('high', 'runs a script that is not a file'))
  if (code === undefined) return findings
  if (!isShell) return [...findings, finding('high', 'runs code from the command line')]
  return [...findings, ...judgeCommand(code.replaceAll('$(…)', ''), place, depth + 1)]
}

const hasDownload = (part: ShellPart): boolean =>
  part.inner.some(({ words }) => words.some((word) => downloads.test(nameOf(word))))

/** `find … -exec rm {} ;` and similar. */
function judgeFindExec(
  program: string,
  args: readonly string[],
  part: ShellPart,
  place: RiskScope,
  depth: number,
): Finding[] {
  if (!['find', 'fd', 'fdfind'].includes(program)) return []
  const at = args.findIndex((word) => /^(-exec|-execdir|-ok|-x|-X|--exec)$/.test(word))
  if (at < 0) return []
  const words = args.slice(at + 1).filter((word) => word !== '{}' && word !== ';' && word !== '+')
  const isRemoval = nameOf(words[0] ?? '') === 'rm'
  return [
    ...(isRemoval ? [finding('high', 'deletes the files it finds')] : []),
    ...judgeWords(words, part, place, depth + 1),
  ]
}
