/** H67: no spelling of a link-local, metadata or unspecified address is spoken to, and ordinary addresses that look a little like one are. */
import { expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { checkBaseUrl } from '../../../src/workbench/api/wire/keys.ts'

const check = (url: string) => checkBaseUrl(url, { tlsUnverified: false })

it.each([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.169.254.:443',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '①⑥⑨.254.169.254',
  '169。254。169。254',
  'METADATA.GOOGLE.INTERNAL',
  'metadata.google.internal.',
  'metadata',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '0',
  '0.0.0.0',
  '0.1.2.3',
  '[::]',
  '[fe80::1]',
  '[febf::1]',
  '[fd00:ec2::254]',
  '[fd00:ec2:0:0:0:0:0:254]',
  '[fd20:ce::254]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[::a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::]',
])('https://%s is refused as what it is', (host) => {
  for (const url of [`https://${host}`, `https://${host}/api`]) {
    expect(() => check(url)).toThrow(Failure)
    expect(() => check(url)).toThrow(/link-local, metadata or unspecified/)
  }
  expect(() => check(`http://${host}`)).toThrow(Failure)
})

it.each([
  'api.example.com',
  'metadata.example.com',
  '169.253.1.1',
  '100.100.100.201',
  '192.0.0.19',
  '10.1.2.3',
  '[fd00::1]',
  '[2001:db8::1]',
  '[::1]',
])('https://%s is not', (host) => {
  expect(check(`https://${host}`).origin).toBe(`https://${host}`)
})
