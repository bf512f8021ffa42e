import { privacyGroupInterface } from "../ledger/index.ts";
import { parseGroupAddress, parseIntentId } from "../protocol/ids.ts";
import type { AbiEntry } from "../domains/domain.ts";
import type { NodeService } from "../node/service.ts";
import { parseFormat } from "./abi/format.ts";
import { parseAbi } from "./abi/parse-abi.ts";
import type { AbiLibrary } from "./abi-library.ts";
import type { UserBook } from "./book.ts";
import { statesView } from "./records.ts";
import type { PreparedView } from "./shapes.ts";

/** The ledger's function that carries out what was prepared. */
const executeAbi = JSON.parse(
  privacyGroupInterface.getFunction("execute")?.format("json") ?? "null",
) as AbiEntry;

/** What was prepared for users, and not submitted. */
export class Preparations {
  readonly #book: UserBook;
  readonly #service: NodeService;
  readonly #abis: AbiLibrary;

  constructor(ports: {
    readonly book: UserBook;
    readonly service: NodeService;
    readonly abis: AbiLibrary;
  }) {
    this.#book = ports.book;
    this.#service = ports.service;
    this.#abis = ports.abis;
  }

  /** Undefined as long as it is not endorsed. */
  find(id: string): PreparedView | undefined {
    const transaction = this.#book.transactions.byId(id.toLowerCase());
    const address = parseGroupAddress(transaction?.group);
    const intentId = parseIntentId(transaction?.intentId);
    if (
      transaction === undefined ||
      address === undefined ||
      intentId === undefined
    )
      return undefined;
    const group = this.#service.group(address);
    const prepared = this.#service.preparedOf(address, intentId);
    if (group === undefined || prepared === undefined) return undefined;
    const { to, effect } = prepared;
    const abiReference = this.#executeAbi();
    const call = this.#abis.decodeCall(prepared.data, parseFormat(""));
    return {
      id: transaction.id,
      domain: group.domain.name,
      to: address,
      transaction: {
        type: "public",
        function: call.signature,
        abiReference,
        to,
        data: call.data,
      },
      states: statesView({ group, effect }, transaction.created),
      metadata: { validUntil: prepared.validUntil, callData: prepared.data },
    };
  }

  /** Keeps it, so that the call can be decoded and sent; gives its hash. */
  #executeAbi(): string {
    const abi = parseAbi([executeAbi]);
    if (!this.#book.abis.has(abi.hash))
      this.#book.database.write(() => {
        this.#abis.keepOwn(abi);
      });
    return abi.hash;
  }
}
