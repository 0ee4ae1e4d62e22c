/** Where keys come from and where they may go (H33, H54, H56): files only their owner can read, no flags, and one source for keys and address. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { profileKeyVariables, readSettings } from '../../src/cli/settings.ts'
import { Failure } from '../../src/errors.ts'
import { temporaryFolder } from '../support/folder.ts'
import { testSystem } from '../support/system.ts'

const pair = { DCALAB_API_KEY: 'env-key-1', DCALAB_SECRET_KEY: 'env-secret-1' }
const tradePair = { DCALAB_TRADE_API_KEY: 'env-trade-1', DCALAB_TRADE_SECRET_KEY: 'env-trade-secret-1' }
const file = (text: string, mode = 0o600) => ({ text, mode: 0o100_000 | mode })
const filePair = 'DCALAB_API_KEY=file-key-1\nDCALAB_SECRET_KEY=file-secret-1\n'
const fileTradePair = 'DCALAB_TRADE_API_KEY=file-trade-1\nDCALAB_TRADE_SECRET_KEY=file-trade-secret-1\n'
const elsewhere =
  'DCALAB_BASE_URL=https://elsewhere.example\nDCALAB_DIALECT=elsewhere.mjs\nDCALAB_USER_EMAIL=else@elsewhere.example\n'

describe('a .env with keys', () => {
  it.each([
    [0o600, true],
    [0o400, true],
    [0o700, true],
    [0o640, false],
    [0o644, false],
    [0o604, false],
    [0o660, false],
    [0o666, false],
    [0o610, false],
    [0o777, false],
  ])('of mode %o is read: %s', (mode, isRead) => {
    for (const keys of [filePair, fileTradePair, 'DCALAB_SECRET_KEY=file-secret-1\n']) {
      const read = () => readSettings(keys === filePair ? {} : pair, file(keys, mode))
      if (isRead) expect(read).not.toThrow()
      else
        expect(read).toThrow(expect.objectContaining({ code: 'settingInvalid', exitCode: 2, hint: 'chmod 600 .env' }))
    }
  })

  it('without keys may be read by anybody', () => {
    expect(readSettings({}, file('DCALAB_STORE=other.sqlite\n', 0o644)).store).toBe('other.sqlite')
  })

  it('is read where a system has no permissions of that kind, as on Windows', () => {
    const { keys } = readSettings({}, { text: 'DCALAB_API_KEY=a\r\nDCALAB_SECRET_KEY=b\r\n' })
    expect(keys).toBeDefined()
  })
})

it('what must outlast a store lies where the system keeps such things', () => {
  const folder = (environment: Record<string, string>) => readSettings(environment, undefined).stateFolder
  const windows = { LOCALAPPDATA: join('C:', 'Users', 'you', 'AppData', 'Local') }
  expect(folder({ HOME: join('/home', 'you') })).toBe(join('/home', 'you', '.local', 'state', 'dcalab'))
  expect(folder({ ...windows, HOME: join('/home', 'you') })).toBe(join(windows.LOCALAPPDATA, 'dcalab'))
  expect(folder({ ...windows, XDG_STATE_HOME: join('/state') })).toBe(join('/state', 'dcalab'))
  expect(folder({})).toBeUndefined()
})

describe('a .env that names an address and a dialect', () => {
  it('is believed where every key comes from it', () => {
    expect(readSettings({}, file(filePair + elsewhere))).toMatchObject({
      baseUrl: 'https://elsewhere.example',
      dialect: 'elsewhere.mjs',
    })
    expect(readSettings({}, file(filePair + fileTradePair + elsewhere)).baseUrl).toBe('https://elsewhere.example')
  })

  it('cannot send a key of the environment there, whichever key it is and whatever keys it brings', () => {
    const environments = [
      pair,
      tradePair,
      { ...pair, ...tradePair },
      { DCALAB_API_KEY: 'env-key-1' },
      { DCALAB_SECRET_KEY: 'env-secret-1' },
    ]
    for (const environment of environments) {
      for (const keys of ['', filePair, fileTradePair, filePair + fileTradePair]) {
        try {
          const read = readSettings(environment, file(keys + elsewhere))
          expect([read.baseUrl, read.dialect, read.userEmail]).toEqual([undefined, undefined, undefined])
          const { keys: own, tradeKeys } = readSettings(environment, undefined)
          expect([keys, read.keys, read.tradeKeys]).toEqual([keys, own, tradeKeys])
        } catch (error) {
          expect(error).toBeInstanceOf(Failure) // half a pair
        }
      }
    }
  })
})

describe('one source for address, keys and e-mail', () => {
  it.each(['DCALAB_BASE_URL', 'DCALAB_USER_EMAIL'])('%s of the environment does not join keys of .env', (name) => {
    const read = (value: string) => () =>
      readSettings({ [name]: value }, file(`${filePair}${name}=https://a.example\n`))
    expect(read('https://a.example')).not.toThrow()
    expect(read('https://b.example')).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ place: name })] }),
    )
  })

  it('a dialect that is named for one command reads the service of .env', () => {
    const named = { DCALAB_DIALECT: 'draft.mjs' }
    expect(readSettings(named, file(filePair + elsewhere))).toMatchObject({
      baseUrl: 'https://elsewhere.example',
      dialect: 'draft.mjs',
    })
  })
})

describe('a profile of a service', () => {
  const folder = temporaryFolder()
  const environment = {
    HOME: '/nowhere',
    XDG_CONFIG_HOME: folder,
    DCALAB_PROFILE: 'mine',
    MY_KEY: 'key-9',
    MY_SECRET: 'secret-9',
  }
  const keys = 'API_KEY_VARIABLE=MY_KEY\nSECRET_KEY_VARIABLE=MY_SECRET\n'
  const write = (text: string) => writeFileSync(join(folder, 'dcalab/mine.env'), text)
  beforeAll(() => mkdirSync(join(folder, 'dcalab')))

  it('says address, dialect and owner, and which variables hold the keys', () => {
    write(`BASE_URL=https://mine.example\nDIALECT=mine.mjs\nUSER_EMAIL=me@mine.example\n${keys}`)
    const settings = readSettings(environment, undefined)
    expect(settings).toMatchObject({
      baseUrl: 'https://mine.example',
      dialect: join(folder, 'dcalab/mine.mjs'),
      userEmail: 'me@mine.example',
    })
    expect(settings.keys).toBeDefined()
    expect(profileKeyVariables(environment)).toEqual(['MY_KEY', 'MY_SECRET'])
  })

  it.each([
    ['a key itself', 'API_KEY=abc\n', {}, 'mine.env: API_KEY'],
    [
      'what the environment says too',
      `BASE_URL=https://a.example\n${keys}`,
      { DCALAB_BASE_URL: 'https://b.example' },
      'DCALAB_BASE_URL',
    ],
    ['variables that are not set', `BASE_URL=https://a.example\n${keys}`, { MY_KEY: '', MY_SECRET: '' }, 'needs both'],
  ])('refuses %s', (_, text, more, said) => {
    write(text)
    const problems = problemsOf(() => readSettings({ ...environment, ...more }, undefined))
    expect(problems).toContain(said)
  })

  it.each(['../mine', 'other', 'A'])('refuses a name without a file in that folder: %s', (name) => {
    expect(() => readSettings({ ...environment, DCALAB_PROFILE: name }, undefined)).toThrow(
      /DCALAB_PROFILE|Profile other/,
    )
    expect(profileKeyVariables({ ...environment, DCALAB_PROFILE: name })).toEqual([])
  })

  it('is never chosen by a .env, and joins no keys of one', () => {
    write(`BASE_URL=https://mine.example\n`)
    const { DCALAB_PROFILE, ...none } = environment
    expect(readSettings(none, file('DCALAB_PROFILE=mine\n')).baseUrl).toBeUndefined()
    expect(problemsOf(() => readSettings(environment, file(filePair)))).toContain('DCALAB_BASE_URL')
  })

  function problemsOf(read: () => unknown): string {
    try {
      read()
      return ''
    } catch (error) {
      return error instanceof Failure ? JSON.stringify(error) : String(error)
    }
  }
})

describe('a .env without keys, as it comes with a clone', () => {
  const before = process.cwd()
  const outside = temporaryFolder()
  beforeAll(() => {
    const clone = temporaryFolder()
    process.chdir(clone)
    mkdirSync('data/inner', { recursive: true })
    writeFileSync(join(outside, 'there.sqlite'), '')
    symlinkSync(outside, 'link')
    symlinkSync(join(outside, 'there.sqlite'), 'data/there.sqlite')
    symlinkSync(join(outside, 'not-yet.sqlite'), 'data/not-yet.sqlite')
    symlinkSync('data/inner', 'near')
    symlinkSync('turning', 'turning')
  })
  afterAll(() => process.chdir(before))

  const places = ['DCALAB_STORE', 'DCALAB_SERVICE_STORE', 'DCALAB_CANDLES', 'DCALAB_DIALECT']
  const ways = [
    join(outside, 'there.sqlite'),
    join(outside, 'new', 'x'),
    '/x',
    '..',
    '../x',
    'data/../../x',
    'link/../x',
    'near/../../x',
    'link',
    'link/x',
    'link/new/deep/x',
    'data/there.sqlite',
    'data/not-yet.sqlite',
    'turning/x',
  ]
  const read = (name: string, path: string, environment = {}, keys = '') =>
    readSettings(environment, file(`${keys}${name}=${path}\n`, 0o600))

  it.each(places)('cannot move %s out of its folder', (name) => {
    const refusal = { code: 'settingInvalid', problems: [expect.objectContaining({ place: `${name} in .env` })] }
    for (const path of ways) {
      expect(() => read(name, path), path).toThrow(expect.objectContaining(refusal))
      expect(Object.values(read(name, path, { [name]: 'mine' }))).toContain('mine')
      expect(Object.values(read(name, path, {}, filePair)), 'with its keys').toContain(path)
      // Keys of the environment in force: what the file has of them does not speak for its paths.
      if (name === 'DCALAB_DIALECT') expect(read(name, path, pair, filePair).dialect).toBeUndefined()
      else expect(() => read(name, path, pair, filePair), path).toThrow(expect.objectContaining(refusal))
    }
  })

  it.each(places)('names %s below its folder', (name) => {
    for (const path of [
      'x',
      './data/x',
      'data/inner/x',
      'near/x',
      'new/deep/x',
      '~/x',
      join(process.cwd(), 'data/x'),
    ]) {
      expect(Object.values(read(name, path)), path).toContain(path)
    }
  })

  it('names no address', () => {
    expect(readSettings({}, file(elsewhere)).baseUrl).toBeUndefined()
  })
})

it.each([
  [{ DCALAB_API_KEY: 'only-one' }, 'DCALAB_SECRET_KEY'],
  [{ ...pair, DCALAB_TRADE_SECRET_KEY: 'only-one' }, 'DCALAB_TRADE_API_KEY'],
  [{ DCALAB_BASE_URL: 'https://bots.example' }, 'DCALAB_BASE_URL'],
])('half of a pair is refused and not shown: %j', (environment, place) => {
  let failure: unknown
  try {
    readSettings(environment, undefined)
  } catch (error) {
    failure = error
  }
  expect(failure).toBeInstanceOf(Failure)
  expect(failure).toMatchObject({ message: 'the settings are not valid', problems: [{ place }] })
  expect(JSON.stringify(failure)).not.toContain('only-one')
})

it('no command takes a key as an argument or a flag', () => {
  const walk = (command: Command): string[] => [
    ...command.options.map(({ flags, description }) => `${command.name()} ${flags} ${description}`),
    ...command.registeredArguments.map((argument) => `${command.name()} ${argument.name()} ${argument.description}`),
    ...command.commands.flatMap(walk),
  ]
  const words = walk(
    buildProgram({
      system: testSystem(),
      settings: () => readSettings({}, undefined),
      signal: new AbortController().signal,
      entryFile: new URL('file:///absent.js'),
      workerFile: new URL('file:///none'),
      studiesFolder: new URL('file:///none'),
      tlsUnverified: false,
      environment: {},
      streams: () => {
        throw new Error('nothing is read from stdin here')
      },
      call: async () => 0,
      endWith: () => {},
      suggestNext: () => {},
      line: { show: () => {}, clear: () => {}, isDrawn: false },
    }),
  )
  expect(words.length).toBeGreaterThan(50)
  // A key of the embedded service is named by its first characters where it is revoked.
  expect(words.filter((word) => /secret|token|password|api.?key/i.test(word))).toEqual([])
})
