/** Which service is shown, and by which names: the rule on every small case. */
import { describe, expect, it } from 'vitest'
import {
  chooseService,
  findNamedServices,
  type ServiceQuestion,
  shortNames,
} from '../../../src/workbench/store/choose-service.ts'

const account = (digits: string) => digits.padEnd(64, '0')
const bots = `https://bots.example#${account('3fa94c')}`
const second = `https://bots.example#${account('3fa977')}`
const local = `http://127.0.0.1:8080#${account('11')}`
const embedded = 'embedded:77d0b1ce'

const named = (...identities: string[]) => [...shortNames(identities)].map(([identity, name]) => ({ identity, name }))

it('a service is called by its host, ours is embedded', () => {
  expect(named(bots, local, embedded).map(({ name }) => name)).toEqual(['bots.example', '127.0.0.1:8080', 'embedded'])
})

it('two of one host are told apart by as many digits of the account as that takes', () => {
  expect(named(bots, second).map(({ name }) => name)).toEqual(['bots.example#3fa94', 'bots.example#3fa97'])
  expect(named('embedded:aaaa1', 'embedded:bbbb1').map(({ name }) => name)).toEqual(['embedded:aaaa', 'embedded:bbbb'])
  const plain = bots.replace('https:', 'http:')
  expect(named(bots, plain)).toEqual([
    { identity: bots, name: bots },
    { identity: plain, name: plain },
  ])
})

it.each<[string, readonly string[]]>([
  ['bots.example', [bots, second]],
  ['bots.example#3fa94', [bots]],
  ['bots.example#3fa977', [second]],
  ['bots', [bots, second]],
  [bots, [bots]],
  ['https://', [bots, second]],
  ['embedded', [embedded]],
  ['embedded:', [embedded]],
  ['bots.example.org', []],
  ['', [bots, second, embedded]],
])('%s means the services whose names are so, or begin so', (asked, expected) => {
  expect(findNamedServices(named(bots, second, embedded), asked).map(({ identity }) => identity)).toEqual(expected)
})

describe('of a study that was run on several, the latest first', () => {
  const services = (done: Readonly<Record<string, number>>) =>
    named(...Object.keys(done)).map((one) => ({ ...one, done: done[one.identity], total: 128 }))
  const choose = (done: Readonly<Record<string, number>>, question: ServiceQuestion) =>
    chooseService('two', services(done), question)?.identity

  it.each<[string, Readonly<Record<string, number>>, ServiceQuestion, string | undefined]>([
    ['the one that is asked for, whatever it has', { [bots]: 0, [local]: 128 }, { asked: 'bots' }, bots],
    ['the configured one where it has finished one', { [bots]: 128, [local]: 1 }, { configured: local }, local],
    [
      'the one with most where that has none',
      { [local]: 0, [bots]: 3, [embedded]: 7 },
      { configured: local },
      embedded,
    ],
    [
      'the one with most where the study was not run on that',
      { [bots]: 3, [embedded]: 7 },
      { configured: local },
      embedded,
    ],
    ['the latest of those that have as many', { [bots]: 7, [embedded]: 7 }, {}, bots],
    ['the latest where none has any', { [bots]: 0, [embedded]: 0 }, { configured: embedded }, bots],
    [
      'the configured one alone where no other will do',
      { [bots]: 0, [embedded]: 7 },
      { configured: bots, configuredOnly: true },
      bots,
    ],
    ['none where it was not run on that', { [embedded]: 7 }, { configured: bots, configuredOnly: true }, undefined],
    [
      'another one all the same where it is asked for',
      { [bots]: 0, [embedded]: 7 },
      { asked: 'embedded', configured: bots, configuredOnly: true },
      embedded,
    ],
    ['none of none', {}, {}, undefined],
  ])('it is %s', (_, done, question, expected) => {
    expect(choose(done, question)).toBe(expected)
  })

  it('a name that fits none or several is answered with what there is', () => {
    const done = { [bots]: 87, [second]: 0, [embedded]: 128 }
    expect(() => choose(done, { asked: 'x' })).toThrow(
      expect.objectContaining({
        code: 'notFound',
        problems: [
          { place: '--service bots.example#3fa94', message: '87 of 128 done' },
          { place: '--service bots.example#3fa97', message: '0 of 128 done' },
          { place: '--service embedded', message: '128 of 128 done' },
        ],
      }),
    )
    expect(() => choose(done, { asked: 'bots' })).toThrow(
      expect.objectContaining({ code: 'usage', message: '"bots" means 2 services' }),
    )
  })
})
