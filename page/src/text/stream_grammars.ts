/** Grammars that exist only line by line. */

import { StreamLanguage } from "@codemirror/language";
import { ruby as rubyMode } from "@codemirror/legacy-modes/mode/ruby";
import { shell as shellMode } from "@codemirror/legacy-modes/mode/shell";
import { toml as tomlMode } from "@codemirror/legacy-modes/mode/toml";

export const ruby = StreamLanguage.define(rubyMode).parser;
export const shell = StreamLanguage.define(shellMode).parser;
export const toml = StreamLanguage.define(tomlMode).parser;
