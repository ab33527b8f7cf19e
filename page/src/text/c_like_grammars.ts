/** Grammars that exist only line by line, of languages that look like C. */

import { StreamLanguage } from "@codemirror/language";
import { csharp as csharpMode, dart as dartMode, kotlin as kotlinMode, scala as scalaMode } from "@codemirror/legacy-modes/mode/clike";
import { swift as swiftMode } from "@codemirror/legacy-modes/mode/swift";

export const csharp = StreamLanguage.define(csharpMode).parser;
export const dart = StreamLanguage.define(dartMode).parser;
export const kotlin = StreamLanguage.define(kotlinMode).parser;
export const scala = StreamLanguage.define(scalaMode).parser;
export const swift = StreamLanguage.define(swiftMode).parser;
