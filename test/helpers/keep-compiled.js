// For processes that are killed: Node keeps what it compiled when it ends, and they never do. To be loaded before all else.
import { enableCompileCache, flushCompileCache } from "node:module";

enableCompileCache();
for (const ms of [500, 3_000]) setTimeout(flushCompileCache, ms).unref();
