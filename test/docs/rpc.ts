import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";

import { post, SocketClient } from "../helpers/rpc/client.ts";
import { blocksOf } from "../helpers/docs/blocks.ts";
import { Transcript } from "../helpers/docs/shape.ts";
import { RunProcess } from "../plugin/helpers/run.ts";

const page = "docs/reference/rpc.md";

interface Frame {
  readonly id: number | null;
  readonly method?: string;
  readonly params?: readonly unknown[];
  readonly result?: unknown;
}

const frames = blocksOf(page)
  .filter(({ language }) => language === "json")
  .map(({ line, text }) => ({ line, frame: JSON.parse(text) as Frame }));

/** Asks until there is an answer: `null` stands for one that is not there yet. */
async function ask(url: string, request: unknown): Promise<unknown> {
  for (;;) {
    const answer = (await post(url, request)) as Frame;
    if (answer.result !== null) return answer;
  }
}

describe("docs/reference/rpc.md", function () {
  this.timeout(120_000);
  let folder: string;
  let run: RunProcess;
  let urls: { readonly url: string; readonly webSocketUrl: string };

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "rpc-docs-"));
    const args = ["--nodes", "3", "--rpc-port", "0"];
    run = new RunProcess(args, { TMPDIR: folder });
    urls = await run.until("node");
    await run.until("ready");
  });

  after(async () => {
    run.kill("SIGINT");
    await run.end();
    rmSync(folder, { recursive: true });
  });

  it("shows requests of groups, transactions, calls and listeners", () => {
    const methods = frames.flatMap(({ frame }) => frame.method ?? []);
    expect(methods).to.include.members([
      "pgroup_createGroup",
      "pgroup_sendTransaction",
      "pgroup_call",
      "ptx_createReceiptListener",
      "ptx_subscribe",
      "ptx_subscription",
      "ptx_ack",
    ]);
  });

  it("shows what a real node answers", async () => {
    const transcript = new Transcript();
    const socket = await SocketClient.open(urls.webSocketUrl);
    let came: unknown;
    for (const { line, frame } of frames) {
      const where = `${page}:${line}`;
      if (frame.method === undefined)
        transcript.compare({ written: frame, came }, where);
      else if (frame.id === null)
        transcript.compare(
          { written: frame, came: await socket.next() },
          where,
        );
      else if (/^ptx_(subscribe|ack)$/.test(frame.method)) {
        socket.sendText(JSON.stringify(transcript.filled(frame)));
        if (frame.method === "ptx_subscribe") came = await socket.next();
      } else came = await ask(urls.url, transcript.filled(frame));
    }
    // Frames are answered in their order: after this, an answer to the last one would be here.
    await socket.call("sequencer_status");
    expect(socket.unread).to.equal(0);
    await socket.close();
  });

  it("shows a command that is answered", async () => {
    const [command] = blocksOf(page).filter(
      ({ language }) => language === "sh",
    );
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(command?.text ?? "") ?? [];
    const [, body = ""] = /-d '([^']+)'/.exec(command?.text ?? "") ?? [];
    // The port of the first node, unless told otherwise: see run.md.
    expect(port).to.equal("8550");
    expect(await post(urls.url, body)).to.have.nested.property(
      "result.name",
      "alice",
    );
  });
});
