/**
 * The error that a program prints with `--json`, without the words of progress before it: a command on a busy machine, or under a clock that
 * runs fast, may have lasted long enough to say how far it is.
 */
export function behindTalk(stderr: string): string {
  const start = stderr.search(/^\{/m)
  return start === -1 ? stderr : stderr.slice(start)
}
