// Runs a WebAssembly program that was compiled for WASI: its output is ours, and so is the folder.
//
// usage: node run.mjs PROGRAM [ARGUMENT...]
import { readFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: argv.slice(2), preopens: { '.': '.' }, returnOnExit: true });
const program = await WebAssembly.compile(await readFile(argv[2]));
const imports = { wasi_snapshot_preview1: wasi.wasiImport };
process.exitCode = wasi.start(await WebAssembly.instantiate(program, imports));
