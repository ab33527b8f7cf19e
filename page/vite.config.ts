import { defineConfig } from "vitest/config";

/** The page is built into the Python package, which serves it with hashed names and no other host. */
export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../src/dovetail/web/static",
    emptyOutDir: true,
    target: "es2023",
    cssTarget: ["chrome123", "firefox128", "safari17.5"], // the first that know light-dark(), and a text beside `content`
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // What the empty page needs is one file: each further one would be a request before anything is seen.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: "page", test: /node_modules\/(@?preact|@lezer\/(common|highlight))\/|src\/(api|state|view|chat)\/|src\/text\/(?!\w+_grammars)|vite\/preload-helper/ }],
        },
      },
    },
  },
  test: { include: ["test/**/*.test.ts"], css: { include: /tokens/ } },
});
