/** Every import of `src/`, type-only and dynamic ones included, and the circles that arrows make. */
import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const src = fileURLToPath(new URL('../src', import.meta.url))

export interface Import {
  readonly file: string
  readonly room: string
  readonly target: string
  /** The imported file of ours, relative to `src/`. */
  readonly targetFile: string | undefined
}

export function importsOf(file: string): Import[] {
  const text = withoutComments(readFileSync(file, 'utf8'))
  const specifiers = [
    ...text.matchAll(/^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'/gm),
    ...text.matchAll(/^\s*import\s*'([^']+)'/gm),
    ...text.matchAll(/\bimport(?:\.meta\.resolve)?\(\s*'([^']+)'\s*\)/g),
  ].map((match) => match[1])
  return specifiers
    .map((specifier) => ({
      file: relative(src, file),
      room: roomOf(file),
      target: targetOf(file, specifier),
      targetFile: specifier.startsWith('.') ? fileOf(file, specifier) : undefined,
    }))
    .filter(({ target }) => target !== 'package.json')
}

/** AssemblyScript imports name no extension. */
function fileOf(file: string, specifier: string): string {
  const target = relative(src, resolve(dirname(file), specifier))
  return target.endsWith('.ts') ? target : `${target}.ts`
}

export type Arrow = readonly [from: string, to: string]

/** The arrows that are part of a circle, or of a way from one circle to another: what is left when nothing ends or begins any more. */
export function circlesOf(arrows: readonly Arrow[]): string[] {
  const between = arrows.filter(([from, to]) => from !== to)
  const starts = new Set(between.map(([from]) => from))
  const ends = new Set(between.map(([, to]) => to))
  const inside = between.filter(([from, to]) => ends.has(from) && starts.has(to))
  if (inside.length < between.length) return circlesOf(inside)
  return [...new Set(between.map(([from, to]) => `${from} → ${to}`))]
}

/** The folders a file lies in, `src/` itself (as '') first. */
export function foldersAbove(file: string): string[] {
  const folders = file.split('/').slice(0, -1)
  return ['', ...folders.map((_, depth) => `${folders.slice(0, depth + 1).join('/')}/`)]
}

export function isInside(folder: string, file: string): boolean {
  return file.startsWith(folder)
}

/** What of `folder` holds the file: a folder in it, or the file itself. */
export function childOf(folder: string, file: string): string {
  return folder + file.slice(folder.length).split('/')[0]
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return roomOf(resolve(dirname(file), specifier))
  if (specifier.startsWith('node:')) return specifier
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function roomOf(file: string): string {
  const path = relative(src, file)
  if (path === '../package.json') return 'package.json'
  const [top, room] = path.split('/')
  // Each room of the workbench is a room of its own.
  return top === 'workbench' ? `${top}/${room}` : top.replace(/\.ts$/, '')
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}
