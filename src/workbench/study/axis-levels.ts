/** Whether a grid can be walked point by point. */
import { Failure } from '../../errors.ts'
import { readSourceDocument } from './source-document.ts'
import type { Study } from './study.ts'

/**
 * @param file names the study's file in problems
 * @throws Failure studyInvalid naming every axis that is continuous: from such a grid points are drawn, it has no list of them
 */
export function demandLevels({ axes, name, search, source }: Study, { file }: { readonly file: string }): void {
  const continuous = axes.filter((axis) => axis.continuous !== undefined)
  if (continuous.length === 0) return
  const document = readSourceDocument(source, file)
  const problems = continuous.map(({ field, values: [from, to] }) => ({
    place: document.placeAt(document.offsetOf(['grid', field], 'key')),
    message: `grid.${field}: every value from ${from} to ${to} is meant; expected a step or a count, so that it has levels`,
  }))
  throw new Failure(
    'studyInvalid',
    `${name} draws its points (search.method: ${search.method}) and cannot be screened whole`,
    {
      problems,
      hint: 'give each of these axes a step or a count, or send the drawn points to a service (`dcalab run`)',
    },
  )
}
