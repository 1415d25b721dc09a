import type { GoldenRow } from './row.ts'

const prompts =
  "bob@box:~$|root@box:/etc#|$|#|%|box%|bash-5.2$|[bob@box ~]$|(venv) bob@box:~/p$|PS C:\\Users\\bob>|C:\\>|❯|➜  proj git:(main) ✗ ❯|>>>|...|In [12]:|>|mysql>|    ->|    '>|MariaDB [(none)]>|postgres=#|postgres-#|shop=>|sqlite>|   ...>|127.0.0.1:6379>|127.0.0.1:6379[3]>|rs0 [direct: primary] test>|cqlsh:shop>|irb(main):001:0>|[1] pry(main)>|iex(1)>|ghci>|julia>|octave:1>|scala>|php >|(gdb)|(lldb)|(Pdb)|(byebug)|(parted)|sftp>|lftp bob@h:~>|ftp>|gnuplot>|grub>|Router#|switch(config)#|[bluetooth]#|Command (m for help):|:|--More--|(END)|lines 1-23/90 25%|Manual page ls(1) line 1 (press h for help or q to quit)|--Type <RET> for more, q to quit, c to continue without paging--|dquote>|heredoc>|?-|nslookup>|(reverse-i-search)`':|M-x".split(
    '|',
  )

/** Shells, read-eval-print loops, debuggers and pagers: never dangerous because of the lines above them. */
export const commands: readonly GoldenRow[] = [
  ...prompts.map((text): GoldenRow => ({ text, above: 'WARNING! This will delete all data.', type: 'command' })),
  { text: '', mode: { fullScreen: true }, type: 'command' },
  { text: '-- INSERT --', mode: { fullScreen: true }, type: 'command' },
  { text: 'debugfs:', above: 'debugfs 1.47.0 (5-Feb-2023)', type: 'command' },
]
