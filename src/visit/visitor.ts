import { classOfAgent } from '../rules/agent-class.ts';
import type { AgentKind, Device, Visitor } from '../rules/resolve.ts';
import { agentKind, deviceOf } from '../rules/visitor-kind.ts';
import { memoize } from '../structures/memoize.ts';
import type { Visit } from './visit.ts';

/** Links that are guarded, or have a preview, ask this of every visit: a lookup instead of some microseconds of parsing. */
const classOf = memoize(4_096, classOfAgent);

const never = () => false;

/** The visitor of a visit, as the decision asks for them. */
export class VisitorOf implements Visitor {
  readonly #visit: Visit;
  readonly #hasPass: () => boolean;
  readonly #hasSolved: boolean;

  constructor(visit: Visit, hasPass: () => boolean = never, hasSolved = false) {
    this.#visit = visit;
    this.#hasPass = hasPass;
    this.#hasSolved = hasSolved;
  }

  agent(): AgentKind {
    const { userAgent, witness } = this.#visit;
    return agentKind({ userAgent: userAgent ?? '', witness }, classOf);
  }

  device(): Device {
    return deviceOf(this.#visit.userAgent, this.#visit.platformHint);
  }

  passedPassword(): boolean {
    return this.#hasPass();
  }

  passedCaptcha(): boolean {
    return this.#hasSolved;
  }
}
