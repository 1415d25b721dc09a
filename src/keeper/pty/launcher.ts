import { findProgram } from '../../lib/find-program.ts'

/** What a program is to find when it starts, beyond its arguments and environment. */
export type LaunchSettings = {
  /** Files of ours that it must not inherit. */
  files: readonly number[]
  /** Of the caller's terminal, as `stty -g` prints them; null: as the terminal has them. */
  modes: string | null
  /** Null: ours. */
  umask: number | null
}

type Words = readonly string[]

/**
 * A command that prepares the terminal, closes files that are not the program's, and then becomes the program: with its own
 * name and its own environment. Perl changes nothing in it. A shell drops prompts and functions, so it comes second.
 */
export function launchedBy(settings: LaunchSettings, argv: readonly [string, ...string[]], env: Env): LaunchCommand {
  const { files, modes, umask } = settings
  if (files.length === 0 && modes === null && umask === null) return { argv, env }
  for (const { name, command } of launchers) {
    const program = findProgram(name, '/', { PATH: '/usr/bin:/bin:/usr/local/bin' })
    if (program) return command(program, settings, argv, env)
  }
  return { argv, env }
}

type Env = Readonly<Record<string, string>>
type LaunchCommand = { argv: Words; env: Env }

/** Variables that Perl itself reads are set aside, and put back before the program starts. */
const aside = 'SIGNALBOX_ASIDE_'

const script = [
  'my($files,$modes,$umask)=splice @ARGV,0,3;',
  // On Linux without a process of its own: the flags, then the keys, as `stty -g` prints them.
  'if($modes=~/^[0-9a-f]+(:[0-9a-f]+){22,}$/){my @m=map hex,split /:/,$modes;my $t="\\0"x60;',
  'if(ioctl(STDIN,0x5401,$t)){substr($t,0,16)=pack "L4",@m[0..3];substr($t,17,19)=pack "C19",@m[4..22];',
  '$modes="" if ioctl(STDIN,0x5402,$t)}}',
  // A terminal may not know a mode of another; it then has all the others.
  'if($modes ne ""){open(my $kept,">&",STDERR);open(STDERR,">","/dev/null");',
  '{local %ENV=(PATH=>"/usr/bin:/bin");system{"stty"}"stty",$modes}open(STDERR,">&",$kept);close $kept}',
  'for(split /,/,$files){open(my $f,"<&=",$_) and close $f}',
  'umask oct $umask if $umask ne "";',
  `delete $ENV{PERL_BADLANG};for(grep /^${aside}/,keys %ENV){my $n=substr $_,${aside.length};$ENV{$n}=delete $ENV{$_}}`,
  'exec {$ARGV[0]} @ARGV;print STDERR "$ARGV[0]: $!\\n";exit 126',
].join('')

const perl = (program: string, { files, modes, umask }: LaunchSettings, argv: Words, env: Env): LaunchCommand => ({
  argv: [program, '-e', script, files.join(','), modes ?? '', umask?.toString(8) ?? '', ...argv],
  env: {
    // A locale that this machine lacks would make it print a warning.
    PERL_BADLANG: '0',
    ...Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name.startsWith('PERL') ? `${aside}${name}` : name, value]),
    ),
  },
})

/** Shells unset or replace these. */
const ofShells = /^PS[124]$/

const shell =
  (...leading: Words) =>
  (program: string, { files, modes, umask }: LaunchSettings, argv: Words, env: Env): LaunchCommand => {
    const kept = Object.entries(env).flatMap(([name, value]) => (ofShells.test(name) ? [`${name}=${value}`] : []))
    const line = [
      'm=$1; u=$2; shift 2',
      '[ -z "$m" ] || stty "$m" 2>/dev/null',
      '[ -z "$u" ] || umask "$u"',
      'while [ "$1" != -- ]; do export "$1"; shift; done; shift',
      ...(files.length > 0 ? [`exec ${files.map((fd) => `${fd}>&-`).join(' ')}`] : []),
      'exec "$@"',
    ].join('; ')
    return {
      argv: [program, ...leading, '-c', line, 'sh', modes ?? '', umask?.toString(8) ?? '', ...kept, '--', ...argv],
      env,
    }
  }

const launchers: readonly { name: string; command: typeof perl }[] = [
  { name: 'perl', command: perl },
  // Privileged mode: ignores files and functions that the environment names.
  { name: 'bash', command: shell('-p') },
  { name: 'busybox', command: shell('sh') },
]
