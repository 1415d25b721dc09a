/**
 * Programs and shell keywords that run the words after them. Those words are another command, so only a registered
 * command that is exactly the same covers it, never one that ends in `*`.
 */
const launchers = new Set(
  [
    'env sudo sudoedit doas su pkexec run0 runuser setpriv gosu su-exec chroot unshare nsenter bwrap firejail',
    'sh bash dash ash zsh fish ksh mksh csh tcsh nu elvish xonsh rbash cmd powershell pwsh wsl busybox toybox',
    'eval exec source . command builtin time coproc if then else elif while until for case select function do',
    'xargs parallel nohup timeout nice ionice chrt taskset setsid stdbuf unbuffer script expect watch entr flock',
    'strace ltrace gdb lldb perf valgrind rlwrap caffeinate start open xdg-open',
    'ssh mosh rsh systemd-run at batch crontab tmux screen dtach abduco',
  ].flatMap((line) => line.split(' ')),
)

export function isLauncher(program: string): boolean {
  const name = program.slice(program.lastIndexOf('/') + 1).toLowerCase()
  return launchers.has(name.replace(/\.(exe|cmd|bat|com)$/, ''))
}
