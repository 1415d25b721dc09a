import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sh, works, type Case } from '../case.ts'

const keyed = `
system("stty", "-icanon", "-echo");
$| = 1;
while (1) { printf("\\rframe=%5d fps=25 time=00:00:%02d", ++$n, $n / 10); vec($r = "", 0, 1) = 1; select($r, undef, undef, 0.1) }`

/** The output looks like a question, but nothing waits. */
export const working: Case[] = [
  works('bash', /Password:/, sh('printf "Password: "; sleep 30')),
  works('sleep', /Continue\?/, () => ['dash', '-c', 'printf "Continue? [y/N] "; exec sleep 30']),
  works('python3', /Enter value:/, () => [
    'python3',
    '-c',
    'print("Enter value: ", end="", flush=True)\nn = 0\nwhile True: n += 1',
  ]),
  works('node', /Continue\?/, () => [
    process.execPath,
    '-e',
    'process.stdout.write("Continue? [y/N] "); setTimeout(() => {}, 30000)',
  ]),
  works('perl', /Username:/, () => ['perl', '-e', '$|=1; print "Username: "; 1 while ++$n']),
  works('awk', /Proceed\?/, () => ['awk', 'BEGIN { printf "Proceed? (yes/no): "; fflush(); system("sleep 30") }']),
  works('tail', /Are you sure\?/, () => ['tail', '-f', 'questions.txt']),
  works('cat', /Are you sure\?/, sh('cat questions.txt; exec 3<>/dev/null; cat a.txt b.txt >&3; sleep 30')),
  works('make', /Select an option/, () => ['make', '-s']),
  works('curl', /Login:/, ({ place }) => ['curl', '-sN', `${place.slow}/words`]),
  works('wget', /Really\?/, ({ place }) => ['sh', '-c', `printf "Really? "; exec wget -q -O /dev/null ${place.slow}`]),
  works('ping', /Retry\?/, () => ['sh', '-c', 'printf "Retry? [Y/n] "; exec ping -i 1 127.0.0.1']),
  works('watch', /Password:/, () => ['watch', '-n', '1', 'echo "Password: "'], {
    raw: true,
    name: 'watch shows "Password:"',
  }),
  works('dd', /Format\?/, () => [
    'sh',
    '-c',
    'printf "Format? (y/n) "; exec dd if=/dev/zero of=/dev/null bs=64k status=none',
  ]),
  works('sqlite3', /Enter name:/, () => [
    'sqlite3',
    ':memory:',
    "select 'Enter name: '; with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n;",
  ]),
  works('lua5.4', /Choice:/, () => ['lua5.4', '-e', 'io.write("Choice: "); io.flush(); while true do end']),
  works('tclsh', /Name:/, () => ['tclsh', 'later.tcl'], {
    prepare: ({ cwd }) =>
      writeFileSync(
        join(cwd, 'later.tcl'),
        'puts -nonewline "Name: "; flush stdout; after 30000 {set done 1}; vwait done',
      ),
  }),
  works('openssl', /Doing md5/, () => ['openssl', 'speed', '-seconds', '30', 'md5']),
  works('expect', /Password:/, () => ['expect', '-c', 'send_user "Password: "; sleep 30']),
  works('busybox', /Overwrite\?/, () => ['busybox', 'sh', '-c', 'echo -n "Overwrite? "; busybox sleep 30']),
  works('yes', /Proceed\?/, () => ['yes', 'Proceed? [y/N]']),
  works('sha256sum', /Checksum:/, () => ['sh', '-c', 'printf "Checksum: "; exec sha256sum /dev/zero']),
  works('gdb', /Enter code:/, () => ['gdb', '-q', '-nx', '-ex', 'shell printf "Enter code: "; sleep 30']),
  works('git', /Username for/, () => ['git', '-c', 'alias.wait=!printf "Username for it: "; sleep 30', 'wait']),
  works('perl', /frame/, () => ['perl', '-e', keyed], {
    raw: true,
    name: 'perl shows progress, and takes keys meanwhile',
  }),
  {
    name: 'node serves, and takes keys meanwhile',
    program: 'node',
    raw: true,
    command: () => [
      process.execPath,
      '-e',
      'process.stdin.setRawMode(true); process.stdin.resume(); console.log("Listening on port 3000\\npress q + enter to quit")',
    ],
    moments: [{ shows: /Listening/, is: 'either' }],
  },
  {
    name: 'sleep, which says nothing',
    program: 'sleep',
    command: () => ['sleep', '30'],
    moments: [{ shows: /^\s*$/, is: 'working' }],
  },
  {
    name: 'vmstat, line after line',
    program: 'vmstat',
    command: () => ['vmstat', '1'],
    moments: [{ shows: /swpd/, is: 'working' }],
  },
  {
    name: 'python3, a web server',
    program: 'python3',
    command: () => ['python3', '-m', 'http.server', '--bind', '127.0.0.1', '0'],
    moments: [{ shows: /Serving/, is: 'working' }],
  },
]
