import { describe, expect, it } from 'vitest'
import { drawn, recorded } from '../../../../test/support/drawn-screen.ts'
import { detect } from './detect.ts'

/** The last line as printed, with `▮` for the cursor; then the expected text. */
const waiting: [string, string][] = [
  ['Disk key: *** ▮', 'Disk key:'],
  ['D ▮', 'D'],
  ['· ▮', '·'],
  ['box :) ▮', 'box :)'],
  ['dev@box ~ @ ▮', 'dev@box ~ @'],
  ['[zk: localhost:2181(CONNECTED) 0] ▮', '[zk: localhost:2181(CONNECTED) 0]'],
  ['Guess:    ▮', 'Guess:'],
  ['Continue [yN]  Details [d]▮', 'Continue [yN] Details [d]'],
  ['In[1]:= ▮', 'In[1]:='],
  ['7 + 9 =   ▮', '7 + 9 ='],
  ['barebox@Foo Board:/ ▮', 'barebox@Foo Board:/'],
  ['Are the details correct? [Y/n/q]\n▮', 'Are the details correct? [Y/n/q]'],
  ['Type of package: (single, indep)\n[s/i/l/p]?\n▮', '[s/i/l/p]?'],
  ['Ready to continue ? [return = YES | Esc = NO]\n▮', 'Ready to continue ? [return = YES | Esc = NO]'],
  ['Please choose the number, or enter your address.\n▮', 'Please choose the number, or enter your address.'],
  ['Please enter the value of TZ.\nFor example AEST-10\n▮', 'Please enter the value of TZ.'],
  [
    'Press Return to acknowledge the previous 6 paragraphs.\n▮',
    'Press Return to acknowledge the previous 6 paragraphs.',
  ],
  ['(idle) set level 1\nthe level is not valid(idle) ▮', '(idle)'],
  ['Replace it? [y/n] › yes▮', 'Replace it? [y/n] ›'],
  ['[1] pry(main)*   ▮', '[1] pry(main)*'],
  ['Vault password: **▮', 'Vault password:'],
  ['Replace? y/n/a/q ▮', 'Replace? y/n/a/q'],
  ['OK (y/n) ▮', 'OK (y/n)'],
  ['Working directory [.]: ▮', 'Working directory [.]:'],
  ['Commit anyway? [y(es)/n(no)/e(dit)] ▮', 'Commit anyway? [y(es)/n(no)/e(dit)]'],
  ['Pick one\n[1] a\n[2] b\n\n▮', 'Pick one'],
  ['Enter your name: bo▮', 'Enter your name:'],
  ['sqlite> select 1▮', 'sqlite>'],
  ['(gdb) break ma▮', '(gdb)'],
  ['Mode: [a]uto/[m]anual ▮', 'Mode: [a]uto/[m]anual'],
  ["Press 'y' to confirm ▮", "Press 'y' to confirm"],
  ['What do you want (K/O)?\n\t(K)eep the old files\n\t(O)verwrite them\n▮', 'What do you want (K/O)?'],
  ['Press <RETURN> to continue.\nPress Ctrl + D to terminate.\n▮', 'Press <RETURN> to continue.'],
  ['Change delay from 3.0 to ▮', 'Change delay from 3.0 to'],
  ['postgres=# ▮', 'postgres=#'],
  ['shop-> ▮', 'shop->'],
  ["shop'# ▮", "shop'#"],
  ['MariaDB [(none)]> ▮', 'MariaDB [(none)]>'],
  ['mysql> ▮', 'mysql>'],
  ['    -> ▮', '->'],
  ['sqlite> ▮', 'sqlite>'],
  ['   ...> ▮', '...>'],
  ['(gdb) ▮', '(gdb)'],
  ['(lldb) ▮', '(lldb)'],
  ['ghci> ▮', 'ghci>'],
  ['Prelude Data.List> ▮', 'Prelude Data.List>'],
  ['iex(1)> ▮', 'iex(1)>'],
  ['julia> ▮', 'julia>'],
  ['irb(main):001:0> ▮', 'irb(main):001:0>'],
  ['octave:1> ▮', 'octave:1>'],
  ['> ▮', '>'],
  ['+ ▮', '+'],
  ['>>> ▮', '>>>'],
  ['... ▮', '...'],
  ['In [1]: ▮', 'In [1]:'],
  ['   ...: ▮', '...:'],
  ['ec2-user@ip-10-0-0-1:~$ ▮', 'ec2-user@ip-10-0-0-1:~$'],
  ['[root@web1 ~]# ▮', '[root@web1 ~]#'],
  ['➜  app git:(main) ✗ ▮', '➜ app git:(main) ✗'],
  ['❯ ▮', '❯'],
  ['(venv) user@host:~/src$ ▮', '(venv) user@host:~/src$'],
  ['host% ▮', 'host%'],
  ['PS /home/me> ▮', 'PS /home/me>'],
  ['sftp> ▮', 'sftp>'],
  ['[sudo] password for alice: ▮', '[sudo] password for alice:'],
  ["alice@db.example.com's password: ▮", "alice@db.example.com's password:"],
  ["Enter passphrase for key '/home/a/.ssh/id_ed25519': ▮", "Enter passphrase for key '/home/a/.ssh/id_ed25519':"],
  ['(current) UNIX password: ▮', '(current) UNIX password:'],
  ['Verification code: ▮', 'Verification code:'],
  ['$ tool login\nEnter password for alice:\n▮', 'Enter password for alice:'],
  ['[10:02:11]: Go on with all of them? (y/n)\n▮', '[10:02:11]: Go on with all of them? (y/n)'],
  ['If you want this, type y and hit return.\n▮', 'If you want this, type y and hit return.'],
  [
    'Pick one (Press ↑/↓ arrow to move and Enter to select)\n‣ a\n  b\n  c▮',
    'Pick one (Press ↑/↓ arrow to move and Enter to select)',
  ],
  ["Username for 'https://git.example.com': ▮", "Username for 'https://git.example.com':"],
  ['Passwort: ▮', 'Passwort:'],
  ['Mot de passe : ▮', 'Mot de passe :'],
  ['密码：▮', '密码：'],
  ['続行しますか? [Y/n] ▮', '続行しますか? [Y/n]'],
  ['Möchten Sie fortfahren? [J/n] ▮', 'Möchten Sie fortfahren? [J/n]'],
  [
    'Are you sure you want to continue connecting (yes/no/[fingerprint])? ▮',
    'Are you sure you want to continue connecting (yes/no/[fingerprint])?',
  ],
  ['Stage this hunk [y,n,q,a,d,e,?]? ▮', 'Stage this hunk [y,n,q,a,d,e,?]?'],
  ['*** f (Y/I/N/O/D/Z) [default=N] ? ▮', '*** f (Y/I/N/O/D/Z) [default=N] ?'],
  ['  Enter a value: ▮', 'Enter a value:'],
  ['Is this OK? (yes) ▮', 'Is this OK? (yes)'],
  ['package name: (app) ▮', 'package name: (app)'],
  ['Proceed ([y]/n)? ▮', 'Proceed ([y]/n)?'],
  ['1) Proceed with standard installation (default) > ▮', '1) Proceed with standard installation (default) >'],
  ['Is this ok [y/d/N]: ▮', 'Is this ok [y/d/N]:'],
  ['==> Proceed with installation? [Y/n] ▮', '==> Proceed with installation? [Y/n]'],
  [':: Replace foo with core/bar? [Y/n] ▮', ':: Replace foo with core/bar? [Y/n]'],
  ['AWS Access Key ID [None]: ▮', 'AWS Access Key ID [None]:'],
  ['Do you want to continue (Y/n)?  ▮', 'Do you want to continue (Y/n)?'],
  [
    "Select the appropriate number [1-2] then [enter] (press 'c' to cancel): ▮",
    "Select the appropriate number [1-2] then [enter] (press 'c' to cancel):",
  ],
  ['Press RETURN to continue or CTRL-C to cancel ▮', 'Press RETURN to continue or CTRL-C to cancel'],
  ['Press any key to continue . . . ▮', 'Press any key to continue . . .'],
  ['Hit Enter to continue▮', 'Hit Enter to continue'],
  ['--More--(12%)▮', '--More--(12%)'],
  ['lines 1-23▮', 'lines 1-23'],
  ['(END)▮', '(END)'],
  [':▮', ':'],
  ['? Project name: › my-app▮', '? Project name: ›'],
  ['? What is your GitHub username? ▮', '? What is your GitHub username?'],
  ['BECOME password: ▮', 'BECOME password:'],
  ['Vault password: ▮', 'Vault password:'],
  ['Please type your name ▮', 'Please type your name'],
  [
    '--Type <RET> for more, q to quit, c to continue without paging--▮',
    '--Type <RET> for more, q to quit, c to continue without paging--',
  ],
  ['--Mehr--(12%)▮', '--Mehr--(12%)'],
  ['ghci| ▮', 'ghci|'],
  ['0] ▮', '0]'],
  ['Load it? (y or [n]) ▮', 'Load it? (y or [n])'],
  ['Remove it? [Esc cancels]▮', 'Remove it? [Esc cancels]'],
  ['PID to signal/kill [default pid = 27491] ▮', 'PID to signal/kill [default pid = 27491]'],
  ['me@host:~$ ▮                                       12:03', 'me@host:~$'],
  ['Coq < ▮', 'Coq <'],
  ['D ▮', 'D'],
  ['- ▮', '-'],
  ['Continue? [y/N] ye▮', 'Continue? [y/N]'],
  ['me@host:~$ ls -l▮', 'me@host:~$'],
  ['Vous voulez continuer ? [O/n] ▮', 'Vous voulez continuer ? [O/n]'],
  ['¿Desea continuar? [S/n] ▮', '¿Desea continuar? [S/n]'],
]

const working: string[] = [
  `root@box:~# sqlite3 shop.db ".print 'Continue? [y/N]'" ".shell sleep 30"\nContinue? [y/N]\n▮`,
  'Please enter username: alice\n11-16 06:57:22:694 [ info sync ]: a job was created\n▮',
  'Solving environment: / ▮',
  'Collecting package metadata (current_repodata.json): - ▮',
  'Resolving deltas:  45% (23/51)▮',
  'Receiving objects: 100% (51/51), 1.20 MiB | 3.10 MiB/s▮',
  'Downloading: 45.2 MB / 120.0 MB▮',
  '#7 [2/5] RUN apt-get update▮',
  ' 45%[=======>           ] 12,345,678  1.23MB/s  eta 12s  ▮',
  'big.iso                 12%  120MB  11.2MB/s   01:10 ETA▮',
  'checking whether the C compiler works... ▮',
  'Connecting to example.com|93.184.216.34|:443... ▮',
  'Waiting for deployment "web" rollout to finish...▮',
  '⠹ Deploying to production?▮',
  '⠋ Installing dependencies [y/n]▮',
  'Compiling: ▮',
  'Restoring packages: ▮',
  '12:03:44 INFO connecting to db: ▮',
  '[INFO] Building jar: ▮',
  'frame= 1234 fps= 30 q=28.0 size=  1024kB time=00:00:41.13 bitrate= 203.9kbits/s speed=1.2x▮',
  '64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.03 ms\n▮',
  'Press Ctrl+C to quit\n▮',
  '....F..........▮',
  'Unpacking objects▮',
  '[  OK  ]▮',
  'Overwrite? [y/N] was answered\n▮',
  '2026-01-08 10:11:12 deploy: Continue? [y/N]\n▮',
  'Proceed? (y/n)\nProceed? (y/n)\n▮',
  'Is another program running?\n▮',
  'Enter passphrase for key k: \n▮',
  '$ tail -f app.log\nEnter password:\n▮',
  '$ echo "Continue? [y/n]"; sleep 9\nContinue? [y/n]\n▮',
  '> app@1.0.0 slow\n> echo Continue? [y/N]; sleep 9\n\nContinue? [y/N]\n▮',
  'SHA256 (big.iso) = ▮',
  '>>> Emerging (1 of 1) app-misc/jq▮',
  'Copying file: a.txt▮',
  'Starting service web [pid 4021] ▮',
  'Job 12 [running] ▮',
  'sync: 12 of 40 (a.txt) ▮',
  'Loading firmware (3/8) ▮',
  '▮',
]

describe('a line that waits', () => {
  it.each(waiting)('%s', (line, text) => {
    const verdict = detect(drawn(line), recorded)
    expect(verdict).toMatchObject({ state: 'waiting', prompt: { text } })
    expect(new RegExp(verdict.prompt?.matchedPattern ?? '(?!)', 'u').test(text)).toBe(true)
  })
})

describe('a line of a working program', () => {
  it.each(working)('%s', (line) => {
    expect(detect(drawn(line), recorded)).toMatchObject({ state: 'working', prompt: null })
  })
})

describe('the whole text of a prompt', () => {
  it('is joined if the terminal wrapped it', () => {
    const screen = drawn('This will remove the volume and everything in↩\n it. Continue? [y/N] ▮', { cols: 45 })
    expect(detect(screen, recorded).prompt?.text).toBe(
      'This will remove the volume and everything in it. Continue? [y/N]',
    )
  })

  it('has no space where a wide character did not fit', () => {
    const screen = drawn('a请输入目标目录的完↩\n整名称以便继续吗？ (y/n) ▮', { cols: 20 })
    expect(detect(screen, recorded).prompt?.text).toBe('a请输入目标目录的完整名称以便继续吗？ (y/n)')
  })

  it('leaves out what was typed in a line editor', () => {
    const screen = drawn('me@host:~/src$ git push --force▮', { bracketedPaste: true })
    expect(detect(screen, recorded).prompt?.text).toBe('me@host:~/src$')
  })

  it('leaves out prefilled text', () => {
    const screen = drawn('Delete the database? [yes/no] no▮', { bracketedPaste: true })
    expect(detect(screen, recorded).prompt?.text).toBe('Delete the database? [yes/no]')
  })
})
