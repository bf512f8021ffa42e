import type { NodeName } from "./ids.ts";
import { limits } from "./limits.ts";
import type { MessageOf } from "./messages.ts";
import { lengthOf, lengthOfStates } from "./size.ts";

type EndorsementRequest = MessageOf<"EndorsementRequest">;

/** Requests for endorsements that wait until this node has seen the blocks of whoever asks. By who asks, in their order. */
export type Deferral = Map<NodeName, EndorsementRequest[]>;

/**
 * Keeps a request for later. Of one coordinator the newest ones are kept, as many as a coordinator has on its way, and together
 * no more than one message may carry: a block that reaches it first must not cost all that it asks for just then.
 */
export function defer(
  deferral: Deferral,
  from: NodeName,
  request: EndorsementRequest,
): void {
  const earlier = deferral.get(from);
  if (earlier === undefined && deferral.size >= limits.deferred) return;
  const { digest } = request.bundle;
  const kept = (earlier ?? []).filter(({ bundle }) => bundle.digest !== digest);
  kept.push(request);
  deferral.set(from, newest(kept));
}

/** Takes out what need not wait any longer, and drops what has expired. */
export function release(
  deferral: Deferral,
  height: number,
): { readonly from: NodeName; readonly request: EndorsementRequest }[] {
  const ready: ReturnType<typeof release> = [];
  for (const [from, requests] of deferral) {
    const waiting: EndorsementRequest[] = [];
    for (const request of requests) {
      if (request.bundle.validUntil < height) continue;
      if (request.height > height) waiting.push(request);
      else ready.push({ from, request });
    }
    if (waiting.length === 0) deferral.delete(from);
    else deferral.set(from, waiting);
  }
  return ready;
}

/** As many from the end as fit; the last one always does. */
function newest(requests: readonly EndorsementRequest[]): EndorsementRequest[] {
  let steps = 0;
  let length = 0;
  let start = requests.length;
  for (const request of requests.toReversed()) {
    steps += Math.max(1, request.bundle.steps.length);
    length += lengthOfRequest(request);
    const isTooMuch =
      steps > limits.bundles * limits.bundle || length > limits.messageBytes;
    if (start < requests.length && isTooMuch) break;
    start -= 1;
  }
  return requests.slice(start);
}

/** Characters that a request has at the most for everything that it names: an id, a place, and what is around them. */
const NAMED_LENGTH = 200;

/** Characters of a request, or more. */
function lengthOfRequest({ bundle, view }: EndorsementRequest): number {
  const { created, spent } = view;
  let length = lengthOfStates(created);
  let named = bundle.places.length + created.length + spent.length;
  for (const step of bundle.steps) {
    const { inputs, reads, outputs, infos, found } = step;
    length += lengthOf(step);
    for (const all of [inputs, reads, outputs, infos, found])
      named += all.length;
  }
  return length + NAMED_LENGTH * named;
}
