import { fileURLToPath } from 'node:url'

/** A program that asks, and the answers for it. */
export type Shape = {
  name: string
  program: string
  /** `limitMs` of 0: it waits forever. */
  command(file: string, limitMs: number): string[]
  /** Part of the text of the prompt with this number, and of no other. */
  mark(number: number): string
  /** Reads byte by byte and checks its clock in between: it splits a line itself, so it is only tested without changes. */
  tears?: true
  /** The text of its prompts is always the same. */
  nameless?: true
  answer: { text?: string; keys?: string[]; pressEnter?: boolean }
  /** The possible input of a program there, in hexadecimal. */
  bytes: readonly string[]
}

const script = fileURLToPath(new URL('./race-program.py', import.meta.url))
const python = (name: string) => (file: string, limitMs: number) => ['python3', script, name, file, String(limitMs)]
const hex = (text: string) => Buffer.from(text).toString('hex')

/** A blocked read that a signal interrupts, as with alarm(2). */
const alarm = `use Time::HiRes qw(time setitimer ITIMER_REAL); $| = 1; my ($file, $limit) = @ARGV;
open(my $truth, '>>', $file); $truth->autoflush(1); use IO::Handle; $SIG{ALRM} = sub {};
sub note { printf $truth "%s\\t%.3f\\n", join("\\t", @_), time * 1000 }
for (my $n = 1; ; $n++) {
  print "Keep entry $n? [y/n] ";
  my $end = time * 1000 + $limit;
  setitimer(ITIMER_REAL, $limit / 1000) if $limit;
  note('shown', $n, $limit ? sprintf('%.3f', $end) : 0);
  my $count = sysread(STDIN, my $got, 1000);
  setitimer(ITIMER_REAL, 0);
  defined $count ? note('got', $n, unpack('H*', $got)) : note('over', $n);
  print "\\n";
}`

const bash = `file=$1 limit=$2 n=0
while :; do
  n=$((n + 1))
  printf 'Keep entry %s? [y/n] ' "$n"
  at=$EPOCHREALTIME; at=\${at/./}
  end=0; [ "$limit" = 0 ] || end=$(( (at + limit * 1000) / 1000 ))
  printf 'shown\\t%s\\t%s\\t%s\\n' "$n" "$end" "$((at / 1000))" >> "$file"
  if read -r \${limit_s:+-t "$limit_s"} line; then what=got; else what=over; fi
  at=$EPOCHREALTIME; at=\${at/./}
  if [ $what = got ]; then
    printf 'got\\t%s\\t%s\\t%s\\n' "$n" "$(printf '%s\\n' "$line" | od -An -tx1 | tr -d ' \\n')" "$((at / 1000))" >> "$file"
  else
    printf 'over\\t%s\\t%s\\n' "$n" "$((at / 1000))" >> "$file"
    # What came too late for a whole line is still there.
    [ -z "$line" ] || printf 'got\\t%s.5\\t%s\\t%s\\n' "$n" "$(printf %s "$line" | od -An -tx1 | tr -d ' \\n')" "$((at / 1000))" >> "$file"
  fi
  printf '\\n'
done`

const line = { mark: (n: number) => `Keep entry ${n}?`, answer: { text: 'y' }, bytes: [hex('y\n')] }

export const shapes: readonly Shape[] = [
  { name: 'a line, select', program: 'python3', command: python('timed'), ...line },
  { name: 'a line, alarm', program: 'perl', command: (f, ms) => ['perl', '-e', alarm, f, String(ms)], ...line },
  {
    name: 'a line, bash read -t',
    program: 'bash',
    command: (f, ms) => ['bash', '-c', `${ms ? `limit_s=${ms / 1000}; ` : ''}${bash}`, 'bash', f, String(ms)],
    tears: true,
    ...line,
  },
  {
    name: 'the same question about another file',
    program: 'python3',
    command: python('same'),
    mark: (n) => `file-${n}.txt`,
    answer: { text: 'y' },
    bytes: [hex('y\n')],
  },
  {
    name: 'the very same prompt again',
    program: 'python3',
    command: python('again'),
    mark: () => 'Overwrite it?',
    nameless: true,
    answer: { text: 'y' },
    bytes: [hex('y\n')],
  },
  { name: 'a key, select', program: 'python3', command: python('key'), ...line, bytes: [hex('y')] },
  { name: 'a key, read', program: 'python3', command: python('vtime'), ...line, bytes: [hex('y')] },
  {
    name: 'a key beside a wheel',
    program: 'python3',
    command: python('spin'),
    mark: (n) => `step ${n}?`,
    answer: { text: 'y' },
    bytes: [hex('y')],
  },
  {
    name: 'a menu',
    program: 'python3',
    command: python('menu'),
    mark: (n) => `part ${n}.`,
    answer: { text: '2' },
    bytes: [hex('2')],
  },
]
