/** `45 seconds`, `5 minutes`, `2 hours`. */
export function span(seconds: number): string {
  const [count, unit] =
    seconds < 120 && seconds % 60 !== 0
      ? [seconds, 'second']
      : seconds < 7200
        ? [Math.round(seconds / 60), 'minute']
        : [Math.round(seconds / 3600), 'hour']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
