/**
 * Runs in a thread of its own, so that neither a slow search nor the wait for the disk ever holds up a redirect.
 * Messages: {open}, {questions: [{id, sql, parameters, inside} or {id, whole}]}, {close}; answers: {opened},
 * {answers: [{id, answer} or {id, problem}]}, {closed}.
 */
import { clearUpAtRest } from '../../threads/rest.ts';
import type { Question } from './sqlite-client.ts';
import { SqliteConnection } from './sqlite-connection.ts';

declare const self: Worker;

let connection: SqliteConnection | undefined;

clearUpAtRest();

self.onmessage = (event: MessageEvent) => {
  const message = event.data;
  if (message.open) {
    try {
      connection = new SqliteConnection(message.open.file, message.open.mode);
      self.postMessage({ opened: true });
    } catch (cause) {
      self.postMessage({ opened: false, problem: problemOf(cause) });
    }
  } else if (message.close) {
    connection?.close();
    self.postMessage({ closed: true });
  } else {
    self.postMessage({ answers: message.questions.map(answerTo) });
  }
};

function answerTo(question: Question): object {
  const { id } = question;
  try {
    const answer =
      'whole' in question
        ? connection?.runWhole(question.whole)
        : connection?.run(question.sql, question.parameters, question.inside);
    return { id, answer };
  } catch (cause) {
    return { id, problem: problemOf(cause) };
  }
}

function problemOf(cause: unknown): { message: string; code: string } {
  const error = cause as { message?: string; code?: string };
  return { message: error.message ?? String(cause), code: error.code ?? '' };
}
