import { parseStudy } from '../study/parse.ts'
import type { Study } from '../study/study.ts'
import type { StudyRecord } from './records.ts'

/** A saved study, under the name that the store has it by: it may have been renamed since its file was read. @throws Failure studyInvalid */
export function storedStudy(record: StudyRecord, file = `${record.name} (as stored)`): Study {
  return { ...parseStudy(record.source, { file }), name: record.name }
}
