import { networkOf } from '../http/client-address.ts';
import type { HeaderEvidence } from '../rules/agents/header-evidence.ts';
import type { PlainRequest } from './connection/plain-request.ts';
import type { Visit } from './visit.ts';

/** A visit whose request was read from the socket. */
export class PlainVisit implements Visit {
  readonly request: PlainRequest;
  readonly host: string;
  readonly domainId: number;
  readonly address: string;
  readonly countryHint: string;

  constructor(request: PlainRequest, host: string, domainId: number, address: string, countryHint: string) {
    this.request = request;
    this.host = host;
    this.domainId = domainId;
    this.address = address;
    this.countryHint = countryHint;
  }

  /** Calls of the API go to the app server. */
  get takesFallback(): true {
    return true;
  }

  get network(): string {
    return networkOf(this.address);
  }

  get method(): 'GET' | 'HEAD' {
    return this.request.method;
  }

  get path(): string {
    return this.request.path;
  }

  get search(): string {
    return this.request.search;
  }

  get userAgent(): string | null {
    return this.request.userAgent;
  }

  get platformHint(): string | null {
    return this.request.platformHint;
  }

  get headerEvidence(): HeaderEvidence {
    return this.request.headerEvidence;
  }

  get acceptLanguage(): string {
    return this.request.acceptLanguage;
  }

  get clientHints(): number {
    return this.request.clientHints;
  }

  get referer(): string {
    return this.request.referer;
  }

  get purpose(): string {
    return this.request.purpose;
  }

  get doNotTrack(): boolean {
    return this.request.doNotTrack;
  }
}
