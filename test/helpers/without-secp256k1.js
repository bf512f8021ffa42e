// For processes that run as on a machine on which the optional package secp256k1 is not installed. To be loaded before
// all else.
import { registerHooks } from "node:module";

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier.split("/")[0] === "secp256k1")
      throw Object.assign(new Error(`Cannot find module '${specifier}'`), {
        code: "MODULE_NOT_FOUND",
      });
    return next(specifier, context);
  },
});
