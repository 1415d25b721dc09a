import { findProgram } from '../../lib/find-program.ts'

/**
 * A command that closes these files and becomes the program. Which shell or interpreter can close files by numbers above
 * nine differs; where there is none, the program is started as it is.
 */
export function closingFirst(files: readonly number[], file: string, args: readonly string[]): [string, string[]] {
  if (files.length === 0) return [file, [...args]]
  for (const { name, leading } of closers) {
    const program = findProgram(name, '/', { PATH: '/usr/bin:/bin:/usr/local/bin' })
    if (program) return [program, [...leading(files), file, ...args]]
  }
  return [file, [...args]]
}

const closers: readonly { name: string; leading(files: readonly number[]): string[] }[] = [
  {
    name: 'bash',
    // Privileged: reads no file that the environment names, and takes no function from it.
    leading: (files) => ['-p', '-c', `exec ${files.map((fd) => `${fd}>&-`).join(' ')}; exec "$@"`, 'bash'],
  },
  {
    name: 'perl',
    leading: (files) => [
      '-e',
      'for(split /,/,shift){open(my $f,"<&=",$_);close $f}exec {$ARGV[0]} @ARGV',
      files.join(','),
    ],
  },
  {
    name: 'busybox',
    leading: (files) => ['sh', '-c', `exec ${files.map((fd) => `${fd}>&-`).join(' ')}; exec "$@"`, 'sh'],
  },
]
