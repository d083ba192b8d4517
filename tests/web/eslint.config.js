import globals from "./browser-globals.js";

const rules = {
  "no-undef": "error",
  "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
  "prefer-const": "error",
  "no-var": "error",
  eqeqeq: "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-console": "error",
  "max-lines-per-function": ["error", { max: 70 }],
  "no-restricted-properties": ["error", ...["innerHTML", "outerHTML"].map((property) => ({ property, message: "Text is never parsed as HTML." }))],
};

export default [
  { ignores: ["node_modules/"] },
  { files: ["**/*.js", "**/*.mjs"], languageOptions: { ecmaVersion: 2023, sourceType: "module", globals }, rules },
];
