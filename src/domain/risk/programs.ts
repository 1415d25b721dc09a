import { finding, type Finding } from './finding.ts'
import { judgeWrite, reachOf, type RiskScope } from './paths.ts'

/** Findings about a program with these arguments. */
export type ProgramRule = (args: readonly string[], place: RiskScope) => Finding[]

const isOption = (word: string): boolean => word.startsWith('-') && word !== '-'
const plainArgs = (args: readonly string[]): string[] => args.filter((word) => !isOption(word))
/** A short flag, alone or among others (`-rf`), or a long one. */
const hasFlag = (args: readonly string[], short: string, ...long: string[]): boolean =>
  args.some(
    (word) =>
      (short !== '' && /^-[A-Za-z]+$/.test(word) && word.includes(short)) ||
      long.some((name) => word === name || word.startsWith(`${name}=`)),
  )
const always =
  (level: Finding['level'], reason: string): ProgramRule =>
  () => [finding(level, reason)]
const whenAny =
  (words: readonly string[], level: Finding['level'], reason: string): ProgramRule =>
  (args) =>
    args.some((word) => words.includes(word)) ? [finding(level, reason)] : []

const toAnotherMachine =
  /^([\w.-]+@)?[\w.-]+::?[^:\\]|^(ssh|git\+ssh|git|https?|ftps?|rsync|ext)(:\/\/|::)|^\\\\|^s3:|^gs:/
export const isRemote = (word: string): boolean => toAnotherMachine.test(word) && !/^[A-Za-z]:[\\/]/.test(word)

const remove: ProgramRule = (args, place) => {
  const targets = plainArgs(args)
  if (hasFlag(args, 'r', '--recursive') || hasFlag(args, 'R')) {
    const reaches = targets.map((path) => reachOf(path, place))
    if (reaches.includes('outside')) return [finding('critical', 'deletes files recursively outside the workspace')]
    if (reaches.includes('workspace')) return [finding('critical', 'deletes the whole workspace')]
    if (reaches.includes('unknown')) return [finding('critical', 'deletes files recursively at a path from a variable')]
    return [finding('high', 'deletes files recursively')]
  }
  return targets.flatMap((path) => judgeWrite(path, place, false))
}

const recursively =
  (verb: string): ProgramRule =>
  (args, place) => {
    if (args.some((word) => /^[ugoa]*\+[rwx]*s|^[2-7][0-7]{3}$/.test(word)))
      return [finding('high', 'sets a setuid bit')]
    const paths = plainArgs(args).slice(1)
    if (!hasFlag(args, 'R', '--recursive')) return paths.flatMap((path) => judgeWrite(path, place, false))
    const wide = paths.some((path) => reachOf(path, place) !== 'part')
    return [finding(wide ? 'critical' : 'high', `${verb} of files recursively`)]
  }

const git: ProgramRule = (args) => {
  const verb = args.find((word, index) => !isOption(word) && !['-C', '-c'].includes(args[index - 1] ?? ''))
  const rest = verb === undefined ? [] : args.slice(args.indexOf(verb) + 1)
  const config = args.includes('-c') || args.some((word) => word.startsWith('--exec-path='))
  const findings = config ? [finding('high', 'gives Git settings that can run programs')] : []
  const add = (is: boolean, reason: string) => is && findings.push(finding('high', reason))
  switch (verb) {
    case 'push':
      add(
        hasFlag(rest, 'f', '--force', '--force-with-lease', '--mirror') || rest.some((word) => word.startsWith('+')),
        'overwrites the history of a remote repository',
      )
      add(hasFlag(rest, 'd', '--delete') || rest.some((word) => /^:./.test(word)), 'deletes a remote branch')
      add(rest.some(isRemote), 'sends the repository to an address')
      break
    case 'reset':
      add(rest.includes('--hard'), 'discards changes that are not committed')
      break
    case 'clean':
      add(hasFlag(rest, 'f', '--force'), 'deletes files that are not committed')
      break
    case 'checkout':
    case 'restore':
      add(
        rest.some((word) => ['.', '*', ':/'].includes(word)),
        'discards changes that are not committed',
      )
      break
    case 'branch':
      add(hasFlag(rest, 'D'), 'deletes a branch')
      break
    case 'stash':
      add(['drop', 'clear'].includes(rest[0] ?? ''), 'discards stashed changes')
      break
    case 'filter-branch':
    case 'filter-repo':
    case 'replace':
      add(true, 'rewrites the history of the repository')
      break
    case 'config':
      add(
        plainArgs(rest).length > 1 || rest.includes('--edit') || rest.includes('--unset'),
        'changes settings of Git, which can run programs',
      )
      break
    case 'reflog':
    case 'gc':
      add(
        rest.some((word) => word.startsWith('expire') || word.startsWith('--prune=')),
        'deletes history that Git could restore',
      )
      break
    default:
  }
  return findings
}

const download: ProgramRule = (args, place) => {
  const sends = args.some(
    (word, index) =>
      /^(-T|--upload-file|--post-file|--body-file)(=|$)/.test(word) ||
      (/^(-d|-F|--data.*|--form.*|--json)$/.test(args[index - 1] ?? '') && /^@|=@|=</.test(word)) ||
      /^(-[dF]|--data[\w-]*=|--form[\w-]*=).*@/.test(word),
  )
  const target = args.flatMap((word, index) =>
    /^(-o|-O|--output|--output-document)$/.test(args[index - 1] ?? '') && !isOption(word) && word !== '-' ? [word] : [],
  )
  return [
    ...(sends ? [finding('high', 'sends a file to another machine')] : []),
    ...target.flatMap((path) => (isRemote(path) ? [] : judgeWrite(path, place, false))),
  ]
}

const copy: ProgramRule = (args, place) => {
  const target = plainArgs(args).at(-1)
  return target === undefined ? [] : judgeWrite(target, place, false)
}
const everyTarget: ProgramRule = (args, place) => plainArgs(args).flatMap((path) => judgeWrite(path, place, false))
const copyBetweenMachines: ProgramRule = (args) =>
  args.some(isRemote) ? [finding('high', 'copies files to or from another machine')] : []

const destructiveSql =
  /\b(drop\s+(table|database|schema|index|view|user|role|collection)|truncate|delete\s+from|flushall|flushdb|dropdatabase|deletemany|alter\s+table)\b/i
const database: ProgramRule = (args) =>
  args.some((word) => destructiveSql.test(word)) ? [finding('high', 'deletes or changes data in a database')] : []

const destructiveVerbs = new Set(
  'delete rm remove destroy terminate drop purge prune uninstall drain kill down deregister'.split(' '),
)
const cloud: ProgramRule = (args) =>
  args.some(
    (word) => destructiveVerbs.has(word.toLowerCase()) || /^(delete|terminate|remove|destroy|purge)-/.test(word),
  )
    ? [finding('high', 'deletes something on a server or in a cloud')]
    : []

const container: ProgramRule = (args) => [
  ...(args.some((word) => ['rm', 'rmi', 'prune', 'kill', 'volume', 'system'].includes(word)) &&
  args.some((word) => ['rm', 'rmi', 'prune', 'kill'].includes(word))
    ? [finding('high', 'deletes or stops containers, images or volumes')]
    : []),
  ...(args.includes('down') && hasFlag(args, 'v', '--volumes')
    ? [finding('high', 'deletes volumes of containers')]
    : []),
  ...(args.includes('push') ? [finding('high', 'publishes an image')] : []),
  ...(args.some((word) => word === '--privileged' || /^(--pid|--net(work)?|--ipc|--userns)=host$/.test(word)) ||
  args.some(
    (word, index) => /^(-v|--volume|--mount)$/.test(args[index - 1] ?? '') && /^\/(:|$)|docker\.sock/.test(word),
  )
    ? [finding('critical', 'starts a container with control over the machine')]
    : []),
]

const publishing =
  (...verbs: string[]): ProgramRule =>
  (args) =>
    verbs.includes(plainArgs(args)[0] ?? '') ? [finding('high', 'publishes a package, or changes who may publish')] : []

const find: ProgramRule = (args, place) => {
  const where = args.slice(
    0,
    Math.max(
      0,
      args.findIndex((word) => word.startsWith('-')),
    ),
  )
  if (!args.includes('-delete')) return []
  const wide = where.some((path) => ['outside', 'unknown'].includes(reachOf(path, place)))
  return [finding(wide ? 'critical' : 'high', 'deletes the files it finds')]
}

const system = 'changes the system, not only the workspace'
const rawDisk = always('critical', 'writes to a disk directly')

const rows: readonly (readonly [string, ProgramRule])[] = [
  ['rm', remove],
  ['shred srm wipe', always('high', 'deletes files beyond recovery')],
  ['chmod', recursively('changes permissions')],
  ['chown chgrp setfacl chattr', recursively('changes the owner')],
  ['mkfs mke2fs mkswap fdisk sfdisk parted wipefs sgdisk blkdiscard', rawDisk],
  [
    'dd',
    (args, place) => {
      const target = args.find((word) => word.startsWith('of='))?.slice(3)
      if (target === undefined) return []
      return target.startsWith('/dev/')
        ? judgeWrite(target, place, true)
        : [finding('high', 'overwrites a file with dd')]
    },
  ],
  ['shutdown reboot poweroff halt init telinit', always('critical', 'stops the machine')],
  [
    'kill pkill killall skill xkill',
    (args) => [
      args.includes('-1') && args.length > 1
        ? finding('critical', 'ends every process')
        : finding('high', 'ends other processes'),
    ],
  ],
  [
    'systemctl service launchctl rc-service',
    whenAny(
      'start stop restart reload disable enable mask edit load unload bootout bootstrap kill'.split(' '),
      'high',
      'starts, stops or changes services',
    ),
  ],
  ['crontab at batch systemd-run', always('high', 'schedules something to run later')],
  [
    'mount umount insmod modprobe rmmod iptables ip6tables nft ufw sysctl useradd userdel usermod groupadd passwd chpasswd visudo swapoff losetup',
    always('high', system),
  ],
  [
    'apt apt-get yum dnf zypper pacman apk brew snap flatpak port',
    whenAny(
      'install remove purge upgrade dist-upgrade full-upgrade add del uninstall -S -R -Syu autoremove reinstall'.split(
        ' ',
      ),
      'high',
      'changes the packages of the system',
    ),
  ],
  ['git', git],
  ['curl wget http https xh aria2c', download],
  ['nc ncat netcat socat telnet ftp', always('high', 'opens a raw connection to another machine')],
  ['ssh mosh rsh', always('high', 'runs something on another machine')],
  ['scp rsync sftp rclone', copyBetweenMachines],
  ['cp mv ln install', copy],
  ['tee touch truncate mkdir', everyTarget],
  ['sed perl awk', (args, place) => (hasFlag(args, 'i', '--in-place') ? everyTarget(args.slice(1), place) : [])],
  ['find', find],
  ['psql mysql mariadb sqlite3 sqlite mongosh mongo redis-cli sqlcmd clickhouse-client duckdb cqlsh', database],
  ['dropdb dropuser', always('high', 'deletes or changes data in a database')],
  ['docker podman nerdctl docker-compose podman-compose', container],
  ['kubectl oc helm aws gcloud az doctl heroku flyctl fly vercel netlify wrangler', cloud],
  [
    'terraform tofu pulumi cdk',
    whenAny(['destroy', 'apply', 'up', 'deploy', 'import', 'taint'], 'high', 'changes infrastructure'),
  ],
  ['ansible ansible-playbook', always('high', 'changes other machines')],
  [
    'npm pnpm yarn bun',
    publishing('publish', 'unpublish', 'deprecate', 'owner', 'token', 'login', 'adduser', 'access', 'dist-tag'),
  ],
  ['cargo', publishing('publish', 'yank', 'owner', 'login')],
  ['gem', publishing('push', 'yank', 'owner')],
  ['twine', publishing('upload')],
  ['poetry uv hatch flit', publishing('publish')],
  ['mvn gradle gradlew', publishing('deploy', 'publish', 'release:perform')],
  ['vsce ovsx', publishing('publish')],
  [
    'gh glab',
    (args) =>
      /\b(delete|merge|release create|secret|workflow run|transfer)\b/.test(plainArgs(args).slice(0, 2).join(' '))
        ? [finding('high', 'changes something on the code host')]
        : [],
  ],
  ['history', whenAny(['-c', '-d'], 'high', 'deletes the history of the shell')],
]

export const programRules: ReadonlyMap<string, ProgramRule> = new Map(
  rows.flatMap(([names, rule]) => names.split(' ').map((name) => [name, rule] as const)),
)
