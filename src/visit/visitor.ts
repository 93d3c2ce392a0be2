import type { AgentKind, Device, Visitor } from '../rules/resolve.ts';
import { deviceOf } from '../rules/visitor-kind.ts';
import { knownAgentKind } from './known-agents.ts';

/** A visitor as the request shows them. Headers are read only when the decision asks. */
export class RequestVisitor implements Visitor {
  readonly #headers: Headers;
  readonly #passed: () => boolean;
  readonly #solved: boolean;

  constructor(headers: Headers, passedPassword: () => boolean, solvedCaptcha = false) {
    this.#headers = headers;
    this.#passed = passedPassword;
    this.#solved = solvedCaptcha;
  }

  agent(): AgentKind {
    return knownAgentKind(this.#headers.get('user-agent'));
  }

  device(): Device {
    return deviceOf(this.#headers.get('user-agent'), this.#headers.get('sec-ch-ua-platform'));
  }

  passedPassword(): boolean {
    return this.#passed();
  }

  passedCaptcha(): boolean {
    return this.#solved;
  }
}
