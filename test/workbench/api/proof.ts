/** A service of one bot whose text a test chooses, and a proof that it is a demo. */
import { onTestFinished } from 'vitest'
import type { Client } from '../../../src/workbench/api/calls.ts'
import type { ProvenDemoBot } from '../../../src/workbench/api/wire/send.ts'
import {
  BOT_PAYLOAD,
  type ClientWorld,
  clientOf,
  goodBody,
  json,
  type ScriptedService,
  scriptedService,
} from './world.ts'

export async function setup(bodyOf: (id: string) => string): Promise<{ service: ScriptedService } & ClientWorld> {
  const service = await scriptedService((hit, response) => {
    if (hit.url.includes('limits')) return json(response, 200, goodBody(hit))
    response.setHeader('content-type', 'application/json')
    response.end(bodyOf(decodeURIComponent(hit.url.split('/')[3])))
  })
  onTestFinished(() => service.close())
  return { service, ...clientOf(service.url) }
}

export const demoText = JSON.stringify({ id: 'bot-1', ...BOT_PAYLOAD, state: 'created' })

export async function prove(client: Client, id = 'bot-1'): Promise<ProvenDemoBot> {
  const outcome = await client.proveDemo(id)
  if (outcome.kind !== 'ok' || outcome.value.proof === null) throw new Error(`no proof: ${outcome.kind}`)
  return outcome.value.proof
}

export const writes = (service: ScriptedService) => service.hits.filter(({ method }) => method !== 'GET')
