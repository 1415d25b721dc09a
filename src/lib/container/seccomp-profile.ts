/**
 * The system calls of a container, as a profile that Docker and Podman both read. What is not listed is refused. It differs
 * from the engines' own in three ways: no namespaces of its own (Podman allows them), no file with setuid or setgid bits,
 * which would keep the rights of its owner outside, and nothing that hides its arguments from the filter.
 */

/** Calls without conditions: all of Linux, without those that need the rights of root, mount, or load into the kernel. */
const allowed =
  `accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chown chown32 clock_getres
  clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep clock_nanosleep_time64 close close_range connect
  copy_file_range dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait
  epoll_wait_old eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fadvise64_64 fallocate
  fanotify_mark fchdir fchown fchown32 fchownat fcntl fcntl64 fdatasync fgetxattr flistxattr flock fork fremovexattr
  fsetxattr fstat fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 futex futex_requeue futex_time64
  futex_wait futex_waitv futex_wake futimesat get_mempolicy get_robust_list get_thread_area getcpu getcwd getdents
  getdents64 getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getitimer getpeername getpgid
  getpgrp getpid getppid getpriority getrandom getresgid getresgid32 getresuid getresuid32 getrlimit getrusage getsid
  getsockname getsockopt gettid gettimeofday getuid getuid32 getxattr inotify_add_watch inotify_init inotify_init1
  inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 io_setup io_submit ioprio_get
  ioprio_set ipc kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lchown32 lgetxattr link
  linkat listen listxattr llistxattr _llseek lremovexattr lseek lsetxattr lstat lstat64 madvise membarrier memfd_create
  memfd_secret mincore mkdir mkdirat mlock mlock2 mlockall mmap mmap2 mprotect mq_getsetattr mq_notify mq_open
  mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 mq_unlink mremap mseal msgctl msgget msgrcv
  msgsnd msync munlock munlockall munmap name_to_handle_at nanosleep newfstatat _newselect pause pidfd_open
  pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll ppoll_time64 prctl pread64 preadv preadv2
  prlimit64 process_madvise process_mrelease process_vm_readv process_vm_writev pselect6 pselect6_time64 ptrace pwrite64
  pwritev pwritev2 read readahead readlink readlinkat readv recv recvfrom recvmmsg recvmmsg_time64 recvmsg
  remap_file_pages removexattr rename renameat renameat2 restart_syscall riscv_flush_icache riscv_hwprobe rmdir rseq
  rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
  rt_sigtimedwait_time64 rt_tgsigqueueinfo s390_pci_mmio_read s390_pci_mmio_write s390_runtime_instr
  sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
  sched_rr_get_interval sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler
  sched_yield seccomp select semctl semget semop semtimedop semtimedop_time64 send sendfile sendfile64 sendmmsg sendmsg
  sendto set_mempolicy set_robust_list set_thread_area set_tid_address set_tls setfsgid setfsgid32 setfsuid setfsuid32
  setgid setgid32 setgroups setgroups32 setitimer setpgid setpriority setregid setregid32 setresgid setresgid32
  setresuid setresuid32 setreuid setreuid32 setrlimit setsid setsockopt setuid setuid32 setxattr shmat shmctl shmdt
  shmget shutdown sigaction sigaltstack signal signalfd signalfd4 sigpending sigprocmask sigreturn sigsuspend socketcall
  socketpair splice stat stat64 statfs statfs64 statx symlink symlinkat sync sync_file_range sync_file_range2 syncfs
  sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_gettime64 timer_settime
  timer_settime64 timerfd_create timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64 times tkill truncate
  truncate64 ugetrlimit umask uname unlink unlinkat utime utimensat utimensat_time64 utimes vfork wait4 waitid waitpid
  write writev`.split(/\s+/)

/** "Not there", so that programs use the older call, whose arguments can be checked. */
const absent = 'clone3 openat2 fchmodat2 io_uring_setup io_uring_enter io_uring_register'.split(' ')

const newNamespaces = 0x7e020080 // every CLONE_NEW… flag
const specialBits = 0o6000 // setuid, setgid
const creates = 0o100 | 0o20000000 // O_CREAT, O_TMPFILE
/** TIOCSTI and TIOCLINUX: they type into a terminal. They differ from each other in three bits. */
const typing = { shared: 0x5410, differing: 0xe, refused: [0x5412, 0x541c] }
const vsock = 40

type Condition = { index: number; value: number; valueTwo?: number; op: string }
const masked = (index: number, mask: number, bits: number): Condition => ({
  index,
  value: mask >>> 0,
  valueTwo: bits >>> 0,
  op: 'SCMP_CMP_MASKED_EQ',
})
const without = (index: number, bits: number): Condition => masked(index, bits, 0)

/**
 * "Not this value", one condition for each bit that may differ. The kernel looks at 32 bits of the argument and a
 * comparison at 64, so "not equal" would let the same value through with a bit set above them.
 */
const differs = (index: number, value: number, among = 0xffffffff): Condition[] =>
  Array.from({ length: 32 }, (_, bit) => (1 << bit) >>> 0)
    .filter((bit) => (among & bit) !== 0)
    .map((bit) => masked(index, bit, ~value & bit))
const allow = (names: readonly string[], ...args: Condition[]) => ({ names, action: 'SCMP_ACT_ALLOW', args })

export function seccompProfile(): string {
  const personalities = [0, 8, 0x20000, 0x20008, 0xffffffff]
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    archMap: [
      { architecture: 'SCMP_ARCH_X86_64', subArchitectures: ['SCMP_ARCH_X86'] },
      { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: ['SCMP_ARCH_ARM'] },
      { architecture: 'SCMP_ARCH_S390X', subArchitectures: [] },
      { architecture: 'SCMP_ARCH_PPC64LE', subArchitectures: [] },
      { architecture: 'SCMP_ARCH_RISCV64', subArchitectures: [] },
    ],
    syscalls: [
      allow(allowed),
      { names: absent, action: 'SCMP_ACT_ERRNO', errnoRet: 38, args: [] },
      allow(['clone'], without(0, newNamespaces)),
      allow(['chmod', 'fchmod', 'mknod', 'creat'], without(1, specialBits)),
      allow(['fchmodat', 'mknodat'], without(2, specialBits)),
      // Without O_CREAT the mode is whatever the register held.
      allow(['open'], without(1, creates)),
      allow(['open'], without(2, specialBits)),
      allow(['openat'], without(2, creates)),
      allow(['openat'], without(3, specialBits)),
      ...personalities.map((value) => allow(['personality'], { index: 0, value, op: 'SCMP_CMP_EQ' })),
      ...differs(0, vsock).map((condition) => allow(['socket'], condition)),
      ...differs(1, typing.shared, ~typing.differing).map((condition) => allow(['ioctl'], condition)),
      ...[0, 2, 4, 6, 8, 0xa, 0xc, 0xe]
        .map((bits) => typing.shared | bits)
        .filter((value) => !typing.refused.includes(value))
        .map((value) => allow(['ioctl'], masked(1, 0xffffffff, value))),
    ],
  })
}
