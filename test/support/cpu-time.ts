/**
 * Milliseconds that this thread was on a core. Work that must be quick is judged by them: on a busy machine the clock goes on
 * while the work waits.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
