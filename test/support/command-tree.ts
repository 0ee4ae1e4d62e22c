/** The program's commands as they are declared, to be read and not run. */
import type { Command } from 'commander'
import { buildProgram } from '../../src/cli/program.ts'
import { testSystem } from './system.ts'

export interface NamedCommand {
  /** " serve keys issue" */
  readonly path: string
  readonly command: Command
}

export function commandTree(firstWord?: string): Command {
  const context = {
    system: testSystem(),
    settings: () => {
      throw new Error('help reads no settings')
    },
    signal: new AbortController().signal,
    entryFile: new URL('file:///absent.js'),
    workerFile: new URL('file:///absent.js'),
    studiesFolder: new URL('file:///absent/'),
    tlsUnverified: false,
    environment: {},
    streams: () => {
      throw new Error('nothing is read from stdin here')
    },
    call: async () => 0,
    endWith: () => {},
    suggestNext: () => {},
    line: { show: () => {}, clear: () => {}, isDrawn: false },
  }
  return buildProgram(context, firstWord)
}

/** Every command with those below it, in the order of the help. */
export function commandsBelow(command: Command, path = ''): NamedCommand[] {
  return command.commands.flatMap((child) => {
    const here = `${path} ${child.name()}`
    return [{ path: here, command: child }, ...commandsBelow(child, here)]
  })
}

/** The two examples that the help of a command ends with. */
export function examplesOf(command: Command): readonly string[] {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) })
  command.outputHelp()
  return text.slice(text.indexOf('Examples:')).match(/(?<=\$ )dcalab .+/g) ?? []
}
